import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastEntries, logOf } from './audit-entries.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { acceptPath } from './tenants.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

describe('a refused request', () => {
  it('leaves an entry when it is about members, keys or the connection, and none otherwise', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath, path, projectId } = tenant;
    const bob = await gateway.signUp();
    await gateway.addMember(tenant, bob);
    const key = await tenant.createKey();
    const unknown = `key_${'0'.repeat(24)}`;
    const before = (await logOf(tenant)).pagination.total;
    const refused = [
      await bob.call('DELETE', `${teamPath}/members/${owner.userId}`),
      await owner.call('DELETE', `${teamPath}/members/${owner.userId}`),
      await owner.call('POST', `${teamPath}/members`, { email: 'no address', role: 'member' }),
      await owner.call('DELETE', `${path}/api-keys/${unknown}`),
      await gateway.call('POST', `${path}/api-keys`, { body: { name: 'x', scopes: [] }, headers: key.bearer }),
      await bob.call('POST', `${teamPath}/processor/connect`, {}),
      await owner.call('POST', `${teamPath}/processor/connect?status=409`, {}),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 409, 400, 404, 403, 403, 409]);
    expect(await lastEntries(tenant, refused.length)).toMatchObject(
      [
        { action: 'removeMember', actor: { id: bob.userId }, target: { type: 'member', id: owner.userId } },
        { action: 'removeMember', actor: { id: owner.userId } },
        { action: 'inviteMember', target: null },
        { action: 'revokeApiKey', projectId, target: { type: 'api_key', id: unknown } },
        { action: 'createApiKey', actor: { type: 'key', id: key.id }, projectId, target: null },
        { action: 'connectProcessor', actor: { id: bob.userId } },
        { action: 'connectProcessor', target: { type: 'processor_account', id: tenant.teamId } },
      ].map((entry, index) => ({
        ...entry,
        outcome: 'refused',
        changes: [],
        requestId: refused[index]?.headers.get('x-request-id'),
      })),
    );

    const silent = [
      await owner.call('PATCH', path, { name: '' }),
      await gateway.call('DELETE', `${teamPath}/members/${bob.userId}`),
      await owner.call('POST', `${teamPath}/processor/connect?status=502`, {}),
      await owner.call('POST', `${teamPath}/processor/connect?status=429`, {}),
      await owner.call('GET', `${path}/api-keys?limit=no`),
    ];
    expect(silent.map(({ status }) => status)).toEqual([400, 401, 502, 429, 400]);
    expect((await logOf(tenant)).pagination.total).toBe(before + refused.length);
  });

  it('leaves none in the log of a team that the caller does not belong to', async () => {
    const [tenant, other] = [await gateway.createTenant(), await gateway.createTenant()];
    const key = await other.createKey();
    const before = (await logOf(tenant)).pagination.total;
    for (const path of [`${tenant.teamPath}/members/x`, `${tenant.path}/api-keys/${key.id}`]) {
      expect((await other.owner.call('DELETE', path)).status).toBe(403);
      expect((await gateway.call('DELETE', path, { headers: key.bearer })).status).toBe(403);
    }
    expect((await logOf(tenant)).pagination.total).toBe(before);
  });

  it('leaves one when somebody tries the link of an invitation that is not theirs', async () => {
    const tenant = await gateway.createTenant();
    const eve = await gateway.signUp();
    const body = { email: 'lin@example.com', role: 'member' };
    const { invitation } = (await tenant.owner.call('POST', `${tenant.teamPath}/members`, body)).body;
    expect((await eve.call('POST', acceptPath(invitation.url))).status).toBe(404);
    expect((await eve.call('POST', acceptPath('#unknown'))).status).toBe(404);
    expect(await lastEntries(tenant, 2)).toMatchObject([
      { action: 'inviteMember' },
      {
        action: 'acceptInvitation',
        actor: { id: eve.userId },
        target: { type: 'invitation', id: invitation.id },
        outcome: 'refused',
      },
    ]);
  });
});
