import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type Gateway } from './start-gateway.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

/** Creates three of everything that the gateway lists; the user has three teams. */
async function createThree() {
  const tenant = await gateway.createTenant();
  const { owner, teamPath } = tenant;
  for (const name of ['two', 'three']) {
    await owner.call('POST', '/api/service/teams', { name });
    await owner.call('POST', `${teamPath}/projects`, { name });
    await gateway.addMember(tenant, await gateway.signUp());
  }
  for (const name of ['one', 'two', 'three']) {
    await owner.call('POST', `${teamPath}/members`, { email: `${name}@example.com`, role: 'member' });
    await tenant.createKey();
  }
  return tenant;
}

it('returns its lists whole, or in pages that together are the whole', async () => {
  const { owner, teamPath, path } = await createThree();
  const lists = {
    teams: '/api/service/teams',
    members: `${teamPath}/members`,
    invitations: `${teamPath}/invitations`,
    projects: `${teamPath}/projects`,
    apiKeys: `${path}/api-keys`,
  };
  for (const [name, url] of Object.entries(lists)) {
    const { body: whole } = await owner.call('GET', url);
    expect(whole[name]).toHaveLength(3);
    expect(whole.pagination).toEqual({
      limit: 1_000,
      offset: 0,
      total: 3,
      hasMore: false,
      totalIsExact: true,
      nextCursor: null,
    });
    const first = (await owner.call('GET', `${url}?limit=2`)).body;
    expect(first.pagination).toEqual({
      limit: 2,
      offset: 0,
      total: 3,
      hasMore: true,
      totalIsExact: true,
      nextCursor: expect.any(String),
    });
    const second = (await owner.call('GET', `${url}?limit=2&offset=2`)).body;
    expect(second.pagination).toEqual({
      limit: 2,
      offset: 2,
      total: 3,
      hasMore: false,
      totalIsExact: true,
      nextCursor: null,
    });
    expect([...first[name], ...second[name]]).toEqual(whole[name]);
    expect((await owner.call('GET', `${url}?limit=none`)).status).toBe(400);
  }
});
