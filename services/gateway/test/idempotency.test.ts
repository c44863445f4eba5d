import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, type HttpResponse } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { PASSWORD } from './tenants.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const OPERATIONS = ['createTeam', 'inviteMember', 'createProject', 'createApiKey', 'rotateApiKey'] as const;

/** The status of a success. */
const STATUS = {
  createTeam: 201,
  inviteMember: 202,
  createProject: 201,
  createApiKey: 201,
  rotateApiKey: 201,
} as const;

describe.each(OPERATIONS)('%s, repeated with its idempotency key,', name => {
  it('returns the stored response', async () => {
    const { post, count } = await prepare(name);
    const first = await post('k');
    expect(first.status).toBe(STATUS[name]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const createdCount = await count();
    const second = await post('k');
    expect([second.status, second.body]).toEqual([STATUS[name], first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await count()).toBe(createdCount);
  });

  it('creates one object for twenty concurrent requests', async () => {
    const { post, count } = await prepare(name);
    const before = await count();
    const responses = await Promise.all(Array.from({ length: 20 }, () => post('k')));
    const codes = responses.map(({ status, body }) => (status === STATUS[name] ? 'ok' : body.error.code));
    expect(codes.filter(code => code !== 'ok' && code !== 'idempotency_key_in_use')).toEqual([]);
    const bodies = new Set(responses.filter(({ status }) => status === STATUS[name]).map(({ text }) => text));
    expect(bodies.size).toBe(1);
    expect((await count()) - before).toBe(1);
  });

  it('returns the same object after a crash before the response was stored', async () => {
    const { post, count } = await prepare(name);
    const first = await post('k');
    const createdCount = await count();
    await deleteStoredResponses();
    const again = await post('k');
    expect([again.status, again.body]).toEqual([STATUS[name], first.body]);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(await count()).toBe(createdCount);
  });
});

it('rejects a key that is in use, or was used for another body', async () => {
  const { owner } = await gateway.createTenant();
  const post = (body: object) =>
    gateway.call('POST', '/api/service/teams', { body, headers: { cookie: owner.cookie, 'idempotency-key': 'k' } });
  await post({ name: 'One' });
  expect(await post({ name: 'Two' })).toMatchObject({
    status: 422,
    body: { error: { code: 'idempotency_key_reused' } },
  });
  await deleteStoredResponses(`clock_timestamp() + interval '1 minute'`);
  expect(await post({ name: 'One' })).toMatchObject({
    status: 409,
    body: { error: { code: 'idempotency_key_in_use' } },
  });
});

it('separates the keys of different users, teams and projects', async () => {
  for (const name of OPERATIONS) {
    const [one, other] = [await prepare(name), await prepare(name)];
    expect([(await one.post('same')).status, (await other.post('same')).status]).toEqual([STATUS[name], STATUS[name]]);
  }
});

it('stores an error response, except one from validation', async () => {
  const { owner, path } = await gateway.createTenant();
  const post = (body: object) =>
    gateway.call('POST', `${path}/api-keys`, { body, headers: { cookie: owner.cookie, 'idempotency-key': 'k' } });
  expect((await post({ name: 'x' })).status).toBe(400);
  const past = { name: 'x', scopes: ['products:read'], expiresAt: '2020-01-01T00:00:00Z' };
  const first = await post(past);
  const repeated = await post(past);
  expect([first.status, repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([400, 400, 'true']);
  expect(repeated.body).toEqual(first.body);
});

it.each(['', 'x'.repeat(256), 'tab\there'])('rejects the key %j', async key => {
  const { post } = await prepare('createProject');
  expect(await post(key)).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
});

it('never stores a secret, and issues random ones without an idempotency key', async () => {
  const { owner, path, createKey } = await gateway.createTenant();
  const headers = { cookie: owner.cookie, 'idempotency-key': randomUUID() };
  const created = await gateway.call('POST', `${path}/api-keys`, { body: KEY, headers });
  const { secret, apiKey } = created.body;
  expect(await statusWith(path, secret)).toBe(200);
  const rotated = await gateway.call('POST', `${path}/api-keys/${apiKey.id}/rotate`, {
    body: {},
    headers: { ...headers, 'idempotency-key': randomUUID() },
  });
  expect(await statusWith(path, rotated.body.secret)).toBe(200);
  const invited = await gateway.call('POST', `${path.split('/projects')[0]}/members`, {
    body: { email: 'lin@example.com', role: 'member' },
    headers: { ...headers, 'idempotency-key': randomUUID() },
  });
  const [, token = ''] = invited.body.invitation.url.split('token=');
  expect(token).toHaveLength(43);

  const em = gateway.em.fork();
  const tables = await em.execute<{ name: string }[]>(
    'select table_name as name from information_schema.tables where table_schema = current_schema()',
  );
  expect(tables.map(table => table.name)).toContain('idempotent_requests');
  const rows = await Promise.all(tables.map(table => em.execute<object[]>(`select * from ${table.name}`)));
  const stored = JSON.stringify(rows) + gateway.logLines.join('');
  for (const text of [secret, rotated.body.secret]) expect(stored).not.toContain(text.slice('bil_test_'.length, -4));
  expect(stored).not.toContain(token);
  expect((await createKey()).secret).not.toBe((await createKey()).secret);
});

it('returns 409 instead of a wrong secret after AUTH_SECRET has changed', async () => {
  const env = { AUTH_SECRET: 'another secret, 32 letters or more' };
  await using other = await startGateway({ copyOf: gateway, env });
  const { owner, path } = await gateway.createTenant();
  const request = { body: KEY, headers: { cookie: owner.cookie, 'idempotency-key': 'k' } };
  expect((await gateway.call('POST', `${path}/api-keys`, request)).status).toBe(201);
  // The new secret has ended the user's session.
  expect((await other.call('POST', `${path}/api-keys`, request)).status).toBe(401);
  const body = { email: owner.email, password: PASSWORD };
  const cookie = cookieOf(await other.call('POST', '/api/auth/sign-in/email', { body }));
  const repeated = { ...request, headers: { ...request.headers, cookie } };
  expect(await other.call('POST', `${path}/api-keys`, repeated)).toMatchObject({
    status: 409,
    body: { error: { code: 'secret_not_repeatable' } },
  });
});

it('keeps a later rotation when an earlier one is repeated', async () => {
  const { owner, path, createKey } = await gateway.createTenant();
  const { id } = await createKey();
  const rotate = (key: string) =>
    gateway.call('POST', `${path}/api-keys/${id}/rotate`, {
      body: { overlapMs: 60_000 },
      headers: { cookie: owner.cookie, 'idempotency-key': key },
    });
  const first = await rotate('one');
  const second = await rotate('two');
  await deleteStoredResponses();
  expect((await rotate('one')).body).toMatchObject({ secret: first.body.secret });
  for (const { body } of [first, second]) expect(await statusWith(path, body.secret)).toBe(200);
});

const KEY = { name: 'ci', scopes: ['products:read'] };

const statusWith = async (path: string, secret: string): Promise<number> =>
  (await gateway.call('GET', `${path}/products`, { headers: { authorization: `Bearer ${secret}` } })).status;

/** Restores the state after a crash before the response was stored. */
async function deleteStoredResponses(dueAt = 'clock_timestamp()'): Promise<void> {
  await gateway.em.fork().execute(`update idempotent_requests set status = null, body = null, due_at = ${dueAt}`);
}

/** Returns a function that sends the operation's request, and one that counts the objects it creates. */
async function prepare(name: (typeof OPERATIONS)[number]) {
  const { owner, teamId, teamPath, path, createKey } = await gateway.createTenant();
  const queryCount = async (query: string, ...values: string[]): Promise<number> => {
    const [row] = await gateway.em.fork().execute<{ count: string }[]>(query, values);
    return Number(row?.count);
  };
  const postTo =
    (target: string, body: object) =>
    (key: string): Promise<HttpResponse> =>
      gateway.call('POST', target, { body, headers: { cookie: owner.cookie, 'idempotency-key': key } });

  switch (name) {
    case 'createTeam':
      return {
        post: postTo('/api/service/teams', { name: 'Acme' }),
        count: () => queryCount('select count(*) from members where user_id = ?', owner.userId),
      };
    case 'inviteMember':
      return {
        post: postTo(`${teamPath}/members`, { email: (await gateway.signUp()).email, role: 'member' }),
        count: () => queryCount('select count(*) from invitations where team_id = ?', teamId),
      };
    case 'createProject':
      return {
        post: postTo(`${teamPath}/projects`, { name: 'Shop' }),
        count: () => queryCount('select count(*) from projects where team_id = ?', teamId),
      };
    case 'createApiKey':
      return {
        post: postTo(`${path}/api-keys`, KEY),
        count: () => queryCount('select count(*) from api_keys where team_id = ?', teamId),
      };
    case 'rotateApiKey': {
      const { id } = await createKey();
      const before = await hashOf(id);
      return {
        post: postTo(`${path}/api-keys/${id}/rotate`, { overlapMs: 60_000 }),
        // The first rotation makes the hash the previous one, a second one removes it.
        count: () =>
          queryCount(
            `select case ? when secret_hash then 0 when previous_secret_hash then 1 else 2 end as count
               from api_keys where id = ?`,
            before,
            id,
          ),
      };
    }
    default:
      return name satisfies never;
  }
}

async function hashOf(id: string): Promise<string> {
  const [row] = await gateway.em
    .fork()
    .execute<{ secret_hash: string }[]>('select secret_hash from api_keys where id = ?', [id]);
  return String(row?.secret_hash);
}
