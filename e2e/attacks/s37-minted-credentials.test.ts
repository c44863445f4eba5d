import { inject, expect, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { callerFrom, countStatuses, newAddress, newLimitedTenant } from './limited.ts';

/** Of the gateway that has limits. */
const PER_USER = 60;
const PER_TEAM = 150;

it('S37: twenty keys of one team are allowed no more requests together than the team is', async () => {
  const { user, P } = await newLimitedTenant();
  const keys: Caller[] = [];
  for (let index = 0; index < 20; index += 1) {
    const { secret } = await ok(user.post(`${P}/api-keys`, { name: 'minted', scopes: ['customers:read'] }), 201);
    keys.push(new Caller({ authorization: `Bearer ${secret}` }, inject('limitedGatewayUrl')));
  }
  const statuses = await countStatuses(
    400,
    async index => (await keys[index % keys.length]?.get(`${P}/customers`)) ?? never(),
  );
  expect(Object.keys(statuses)).toEqual(['200', '429']);
  expect(statuses[200]).toBeLessThanOrEqual(PER_TEAM);
  expect(statuses[200]).toBeGreaterThan(PER_TEAM - 40);
});

it('S37: sessions of one user are allowed no more requests together than the user is, whatever the team', async () => {
  const { user, credentials, teamPath } = await newLimitedTenant();
  const { team } = await ok(user.post('/api/service/teams', { name: 'Another' }), 201);
  const second = callerFrom(newAddress());
  await ok(second.post('/api/auth/sign-in/email', credentials));
  const paths = [`${teamPath}/projects`, `/api/service/teams/${team.id}/projects`, '/api/service/teams'];
  const statuses = await countStatuses(120, index => (index % 2 ? user : second).get(paths[index % 3] ?? ''));
  expect(Object.keys(statuses)).toEqual(['200', '429']);
  expect(statuses[200]).toBeLessThanOrEqual(PER_USER);
  expect(statuses[200]).toBeGreaterThan(PER_USER - 20);
});

function never(): never {
  throw new Error('There is a key for each request.');
}
