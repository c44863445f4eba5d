import { waitFor } from '@billing/testing/wait-for';
import { describe, expect, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { addMember, invite, newEmail, newTenant, newUser, type Tenant } from '../system/tenant.ts';

const withKey = (secret: string) => new Caller({ authorization: `Bearer ${secret}` });

async function tenantWithMember(role: 'owner' | 'member') {
  const tenant: Tenant = await newTenant();
  const member = await newUser();
  await addMember(tenant, member, role);
  const { apiKey, secret } = await ok(
    member.user.post(`${tenant.P}/api-keys`, { name: 'laptop', scopes: ['customers:read'] }),
    201,
  );
  await ok(withKey(secret).get(`${tenant.P}/customers`));
  const remove = (query = '') => ok(tenant.user.delete(`${tenant.teamPath}/members/${member.userId}${query}`));
  return { tenant, member, apiKey, key: withKey(secret), remove };
}

describe('a removed member', () => {
  it('S41: their sessions reach the team no more, and the keys they made are named and revoked', async () => {
    const { tenant, member, apiKey, key, remove } = await tenantWithMember('member');
    const removed = await remove();
    expect(removed.revokedKeys).toMatchObject([{ id: apiKey.id, name: 'laptop', projectId: tenant.projectId }]);
    expect(removed.keptKeys).toEqual([]);
    for (const path of [tenant.P, `${tenant.P}/customers`, `${tenant.P}/api-keys`, `${tenant.teamPath}/members`])
      expect((await member.user.get(path)).status).toBe(403);
    expect((await ok(member.user.get('/api/service/teams'))).teams).toEqual([]);
    await waitFor(async () => (await key.get(`${tenant.P}/customers`)).status === 401, {
      what: 'every copy to refuse the key',
    });
    await ok(tenant.api.get(`${tenant.P}/customers`));
  });

  it('S41: their keys stay valid only when the owner keeps them on purpose, and are named then', async () => {
    const { tenant, apiKey, key, remove } = await tenantWithMember('member');
    const removed = await remove('?keepKeys=true');
    expect(removed).toMatchObject({ revokedKeys: [], keptKeys: [{ id: apiKey.id }] });
    await ok(key.get(`${tenant.P}/customers`));
  });

  it('S41: invitations that they made, or that were made for them, bring nobody back', async () => {
    const { tenant, member, remove } = await tenantWithMember('owner');
    const accomplice = await newUser(newEmail());
    const accept = await invite({ ...tenant, user: member.user }, accomplice.credentials.email, 'owner');
    expect((await remove()).withdrawnInvitations).toHaveLength(1);
    expect((await accomplice.user.post(accept)).status).toBe(404);
  });
});
