import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpResponse } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';

const LIMITS = { teams: 3, projects: 4, keys: 5, invitations: 3, members: 3 } as const;

let gateway: Gateway;
/** Shares the database, and has fewer members than invitations. */
let crowded: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ quotas: { ...LIMITS, members: 100 } });
  crowded = await startGateway({ copyOf: gateway, quotas: { ...LIMITS, invitations: 100 } });
});
afterAll(() => crowded[Symbol.asyncDispose]());
afterAll(() => gateway[Symbol.asyncDispose]());

/** Returns a function that creates one more, one that makes room, and how many there are already. */
async function prepare(quota: keyof typeof LIMITS) {
  const { owner, teamPath, path } = await gateway.createTenant();
  switch (quota) {
    case 'teams':
      return { create: () => owner.call('POST', '/api/service/teams', { name: 'x' }), existing: 1 };
    case 'projects':
      return { create: () => owner.call('POST', `${teamPath}/projects`, { name: 'x' }), existing: 1 };
    case 'keys':
      return {
        create: () => owner.call('POST', `${path}/api-keys`, { name: 'x', scopes: ['products:read'] }),
        remove: async ({ body }: HttpResponse) => owner.call('DELETE', `${path}/api-keys/${body.apiKey.id}`),
        existing: 0,
      };
    case 'members': {
      let count = 0;
      const headers = { cookie: owner.cookie };
      return {
        create: () =>
          crowded.call('POST', `${teamPath}/members`, {
            body: { email: `member-${(count += 1)}@example.com`, role: 'member' },
            headers,
          }),
        remove: async ({ body }: HttpResponse) => owner.call('DELETE', `${teamPath}/invitations/${body.invitation.id}`),
        existing: 1,
      };
    }
    case 'invitations': {
      let count = 0;
      return {
        create: () =>
          owner.call('POST', `${teamPath}/members`, { email: `new-${(count += 1)}@example.com`, role: 'member' }),
        remove: async ({ body }: HttpResponse) => owner.call('DELETE', `${teamPath}/invitations/${body.invitation.id}`),
        existing: 0,
      };
    }
    default:
      return quota satisfies never;
  }
}

/** Sends a request again while others of the same team hold its lock or all connections, as a client should. */
async function sendUntilSettled(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
  for (;;) {
    const response = await send();
    if (!['conflict', 'unavailable'].includes(response.body?.error?.code)) return response;
  }
}

it.each(Object.keys(LIMITS) as (keyof typeof LIMITS)[])(
  'holds the quota of %s, however many requests come at once',
  async quota => {
    const { create: createOnce, remove, existing } = await prepare(quota);
    const create = () => sendUntilSettled(createOnce);
    const responses = await Promise.all(Array.from({ length: 30 }, create));
    const created = responses.filter(({ status }) => status < 300);
    expect(created).toHaveLength(LIMITS[quota] - existing);
    const refused = {
      status: 422,
      body: { error: { code: 'quota_exceeded', details: { quota, limit: LIMITS[quota] } } },
    };
    for (const other of responses.filter(response => !created.includes(response))) expect(other).toMatchObject(refused);
    expect(await create()).toMatchObject(refused);
    if (!remove || !created[0]) return;
    await remove(created[0]);
    expect((await create()).status).toBeLessThan(300);
  },
);

it('counts neither expired keys nor another invitation of the same address', async () => {
  const { owner, teamPath, createKey } = await gateway.createTenant();
  for (let count = 0; count < LIMITS.keys; count += 1) await createKey();
  await gateway.em.fork().execute('update api_keys set expires_at = now()');
  expect((await createKey()).secret).toMatch(/^bil_/);
  for (let count = 0; count <= LIMITS.invitations; count += 1)
    expect(
      (await owner.call('POST', `${teamPath}/members`, { email: 'same@example.com', role: 'member' })).status,
    ).toBe(202);
});

it('repeats a request that used the quota up', async () => {
  const { owner, teamPath } = await gateway.createTenant();
  const post = (key: string) =>
    gateway.call('POST', `${teamPath}/projects`, {
      body: { name: 'x' },
      headers: { cookie: owner.cookie, 'idempotency-key': key },
    });
  for (let count = 1; count < LIMITS.projects; count += 1) expect((await post(`${count}`)).status).toBe(201);
  expect((await post('more')).status).toBe(422);
  await gateway.em.fork().execute('update idempotent_requests set status = null, body = null, due_at = now()');
  expect((await post('1')).status).toBe(201);
});
