import { inject, expect, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { callerFrom, countWithinAMinute, newAddress, newLimitedTenant, signIn } from './limited.ts';

/** Of the gateway that has limits. */
const PER_USER = 60;
const PER_TEAM = 150;

it('S37: twenty keys of one team are allowed no more requests together than the team is', async () => {
  const { statuses } = await countWithinAMinute(400, mintKeys, ({ keys, P }, index) =>
    (keys[index % keys.length] ?? never()).get(`${P}/customers`),
  );
  expect(Object.keys(statuses)).toEqual(['200', '429']);
  expect(statuses[200]).toBeLessThanOrEqual(PER_TEAM);
  expect(statuses[200]).toBeGreaterThan(PER_TEAM - 40);
});

it('S37: sessions of one user are allowed no more requests together than the user is, whatever the team', async () => {
  const { statuses } = await countWithinAMinute(120, openSessions, ({ sessions, paths }, index) =>
    (sessions[index % 2] ?? never()).get(paths[index % 3] ?? ''),
  );
  expect(Object.keys(statuses)).toEqual(['200', '429']);
  expect(statuses[200]).toBeLessThanOrEqual(PER_USER);
  expect(statuses[200]).toBeGreaterThan(PER_USER - 20);
});

/** A team with twenty keys. */
async function mintKeys() {
  const { user, P } = await newLimitedTenant();
  const keys: Caller[] = [];
  for (let index = 0; index < 20; index += 1) {
    const { secret } = await ok(user.post(`${P}/api-keys`, { name: 'minted', scopes: ['customers:read'] }), 201);
    keys.push(new Caller({ authorization: `Bearer ${secret}` }, inject('limitedGatewayUrl')));
  }
  return { keys, P };
}

/** A user with two sessions and two teams. */
async function openSessions() {
  const { user, credentials, teamPath } = await newLimitedTenant();
  const { team } = await ok(user.post('/api/service/teams', { name: 'Another' }), 201);
  const second = callerFrom(newAddress());
  await ok(signIn(second, credentials));
  const paths = [`${teamPath}/projects`, `/api/service/teams/${team.id}/projects`, '/api/service/teams'];
  return { sessions: [user, second], paths };
}

function never(): never {
  throw new Error('There is a caller for each request.');
}
