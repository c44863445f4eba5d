import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from './authenticator-app.ts';
import { cookieOf } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { PASSWORD } from './tenants.ts';

const NEW = 'a staple holds the horse';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ env: { TRUST_PROXY: 'loopback' } })));
afterAll(() => gateway[Symbol.asyncDispose]());

type Tenant = Awaited<ReturnType<Gateway['createTenant']>>;
interface Entry {
  readonly action: string;
  readonly outcome: string;
  readonly count: number;
}

/** Calls as a user whose cookie changes with each response that sets one. */
function personOf({ owner }: Tenant) {
  let { cookie } = owner;
  return {
    forget: () => void (cookie = ''),
    async post(path: string, body?: object) {
      const headers = { cookie, 'x-forwarded-for': '203.0.113.7' };
      const response = await gateway.call('POST', `/api/auth/${path}`, { headers, body });
      if (response.headers.getSetCookie().length > 0) cookie = cookieOf(response);
      return response;
    },
  };
}

/** The entries of sign-in in a team's log, oldest first, by an owner who is not the person. */
async function entriesFor(tenant: Tenant): Promise<Entry[]> {
  const reader = await gateway.signUp();
  await gateway.em
    .fork()
    .execute(`insert into members (team_id, user_id, role, created_at) values (?, ?, 'owner', now())`, [
      tenant.teamId,
      reader.userId,
    ]);
  const { entries } = (await reader.call('GET', `${tenant.teamPath}/audit-log?limit=100`)).body;
  return entries.filter(({ action }: Entry) => action.startsWith('auth.')).toReversed();
}

describe('the audit log', () => {
  it('has what happened to the sessions, password and second factor of each member', async () => {
    const tenant = await gateway.createTenant();
    const { owner } = tenant;
    const other = (await owner.call('POST', '/api/service/teams', { name: 'Other' })).body.team;
    const stranger = await gateway.createTenant();
    const person = personOf(tenant);
    const { email } = owner;
    await person.post('verify-password', { password: 'wrong' });
    await person.post('verify-password', { password: PASSWORD });
    await person.post('change-password', { currentPassword: PASSWORD, newPassword: NEW });
    const { totpURI } = (await person.post('two-factor/enable', { password: NEW })).body;
    await person.post('two-factor/verify-totp', { code: codeOf(totpURI) });
    await person.post('two-factor/generate-backup-codes', { password: NEW });
    await person.post('revoke-other-sessions');
    await person.post('update-user', { name: 'Grace Hopper' });
    await person.post('sign-out');
    person.forget();
    await person.post('sign-in/email', { email, password: 'wrong' });
    await waitFor(async () => (await entriesFor(tenant)).at(-1)?.outcome === 'refused', { what: 'the failed sign-in' });
    await person.post('sign-in/email', { email, password: NEW });
    await person.post('two-factor/verify-totp', { code: codeOf(totpURI, 1) });
    await person.post('two-factor/disable', { password: NEW });
    await person.post('revoke-sessions');
    const token = (await gateway.resetLink(email)).split('token=')[1];
    await person.post('reset-password', { newPassword: PASSWORD, token });

    const expected = [
      ['auth.verifyPassword', 'refused'],
      ['auth.verifyPassword', 'succeeded'],
      ['auth.changePassword', 'succeeded'],
      ['auth.enableSecondFactor', 'succeeded'],
      ['auth.verifySecondFactor', 'succeeded'],
      ['auth.generateBackupCodes', 'succeeded'],
      ['auth.revokeOtherSessions', 'succeeded'],
      ['auth.updateUser', 'succeeded'],
      ['auth.signOut', 'succeeded'],
      ['auth.signIn', 'refused'],
      ['auth.signIn', 'succeeded'],
      ['auth.disableSecondFactor', 'succeeded'],
      ['auth.revokeSessions', 'succeeded'],
      ['auth.resetPassword', 'succeeded'],
    ];
    for (const team of [tenant, { ...tenant, teamId: other.id, teamPath: `/api/service/teams/${other.id}` }]) {
      const entries = await entriesFor(team);
      expect(entries.map(({ action, outcome }) => [action, outcome])).toEqual(expected);
      expect(entries[0]).toMatchObject({
        actor: { type: 'user', id: owner.userId },
        target: { type: 'user', id: owner.userId },
        address: '203.0.113.7',
        projectId: null,
        count: 1,
      });
    }
    expect(await entriesFor(stranger)).toEqual([]);
    const rows = JSON.stringify(await gateway.em.fork().execute('select * from audit_entries'));
    for (const secret of [email, PASSWORD, NEW, token]) expect(rows).not.toContain(secret);
  });

  it('says when wrong passwords have ended a session', async () => {
    const tenant = await gateway.createTenant();
    const person = personOf(tenant);
    for (let turn = 0; turn < 10; turn += 1) await person.post('verify-password', { password: 'wrong' });
    const entries = await entriesFor(tenant);
    expect(entries.at(-1)).toMatchObject({ action: 'auth.endSession', actor: { type: 'system', id: null } });
    const refused = entries.filter(({ action }) => action === 'auth.verifyPassword');
    expect(refused.reduce((sum, { count }) => sum + count, 0)).toBe(10);
    // At most two minutes are concerned.
    expect(refused.length).toBeLessThanOrEqual(2);
  });

  it('is exported as JSON lines, each entry once', async () => {
    const { owner, path, teamId, teamPath } = await gateway.createTenant();
    const names = Array.from({ length: 110 }, (_, index) => `Shop ${index}`);
    for (const name of names) await owner.call('PATCH', path, { name });
    const main = join(import.meta.dirname, '../src/audit-export/main.ts');
    const env = { ...process.env, DATABASE_URL: gateway.env.DATABASE_URL };
    const exportOf = (team: string) => promisify(execFile)(process.execPath, [main, '--team', team], { env });
    await expect(exportOf(`team_${'a'.repeat(24)}`)).rejects.toThrow('There is no team');
    const { stdout } = await exportOf(teamId);
    const entries = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const { entries: listed } = (await owner.call('GET', `${teamPath}/audit-log?limit=5`)).body;
    expect(entries.slice(0, 5)).toEqual(listed);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(names.length + 2);
  });

  it('has a refusal that is repeated once a minute, with a count', async () => {
    const tenant = await gateway.createTenant();
    const { owner, path, teamPath, projectId } = tenant;
    const before = (await owner.call('GET', `${teamPath}/audit-log`)).body.pagination.total;
    const unknown = (index: number) => `${path}/api-keys/key_${String(index).padStart(24, '0')}`;
    await Promise.all(Array.from({ length: 40 }, () => owner.call('DELETE', unknown(0))));
    for (let index = 1; index <= 40; index += 1) await owner.call('DELETE', unknown(index));
    const { entries } = (await owner.call('GET', `${teamPath}/audit-log?limit=100`)).body;
    const refused: Entry[] = entries.slice(0, -before);
    expect(refused.reduce((sum, { count }) => sum + count, 0)).toBe(80);
    // Ten targets and what is beyond, in each of at most two minutes.
    expect(refused.length).toBeLessThanOrEqual(22);
    expect(refused.at(-1)).toMatchObject({
      action: 'revokeApiKey',
      projectId,
      target: { type: 'api_key', id: `key_${'0'.repeat(24)}` },
    });
    expect(refused[0]).toMatchObject({ action: 'revokeApiKey', outcome: 'refused' });
  });
});
