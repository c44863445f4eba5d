import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Answer, type Gateway } from './harness.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const OPERATIONS = ['createTeam', 'addMember', 'createProject', 'createApiKey', 'rotateApiKey'] as const;

describe.each(OPERATIONS)('%s, repeated with its key,', name => {
  it('is answered once more without being done again', async () => {
    const { post, count } = await given(name);
    const first = await post('k');
    expect(first).toMatchObject({ status: 201 });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const made = await count();
    const second = await post('k');
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await count()).toEqual(made);
  });

  it('makes one thing when it comes twenty times at once', async () => {
    const { post, count } = await given(name);
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('k')));
    const codes = answers.map(({ status, body }) => (status === 201 ? 'ok' : body.error.code));
    expect(codes.filter(code => code !== 'ok' && code !== 'idempotency_key_in_use')).toEqual([]);
    const bodies = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
    expect(bodies.size).toBe(1);
    expect((await count()) - before).toBe(1);
  });

  it('answers the same thing when the process died between doing and answering', async () => {
    const { post, count } = await given(name);
    const first = await post('k');
    const made = await count();
    await loseAnswers();
    const again = await post('k');
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(await count()).toEqual(made);
  });
});

it('waits for the first request, and refuses the key for another body', async () => {
  const { owner } = await gateway.givenProject();
  const post = (body: object) =>
    gateway.call('POST', '/api/service/teams', { body, headers: { cookie: owner.cookie, 'idempotency-key': 'k' } });
  await post({ name: 'One' });
  expect(await post({ name: 'Two' })).toMatchObject({
    status: 422,
    body: { error: { code: 'idempotency_key_reused' } },
  });
  await loseAnswers(`clock_timestamp() + interval '1 minute'`);
  expect(await post({ name: 'One' })).toMatchObject({
    status: 409,
    body: { error: { code: 'idempotency_key_in_use' } },
  });
});

it('keeps the keys of users, teams and projects apart', async () => {
  for (const name of OPERATIONS) {
    const [one, other] = [await given(name), await given(name)];
    expect([(await one.post('same')).status, (await other.post('same')).status]).toEqual([201, 201]);
  }
});

it('keeps a refusal, and does again what was refused before the key was looked at', async () => {
  const { owner, path } = await gateway.givenProject();
  const post = (body: object) =>
    gateway.call('POST', `${path}/api-keys`, { body, headers: { cookie: owner.cookie, 'idempotency-key': 'k' } });
  expect((await post({ name: 'x' })).status).toBe(400);
  const past = { name: 'x', scopes: ['products:read'], expiresAt: '2020-01-01T00:00:00Z' };
  const refused = await post(past);
  const repeated = await post(past);
  expect([refused.status, repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([400, 400, 'true']);
  expect(repeated.body).toEqual(refused.body);
});

it.each(['', 'x'.repeat(256), 'tab\there'])('refuses the key %j', async key => {
  const { post } = await given('createProject');
  expect(await post(key)).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
});

it('never keeps a secret, and still issues random ones to requests without a key', async () => {
  const { owner, path, newKey } = await gateway.givenProject();
  const headers = { cookie: owner.cookie, 'idempotency-key': randomUUID() };
  const created = await gateway.call('POST', `${path}/api-keys`, { body: KEY, headers });
  const { secret, apiKey } = created.body;
  expect(await statusWith(path, secret)).toBe(200);
  const rotated = await gateway.call('POST', `${path}/api-keys/${apiKey.id}/rotate`, {
    body: {},
    headers: { ...headers, 'idempotency-key': randomUUID() },
  });
  expect(await statusWith(path, rotated.body.secret)).toBe(200);

  const em = gateway.database.em.fork();
  const tables = await em.execute<{ name: string }[]>(
    'select table_name as name from information_schema.tables where table_schema = current_schema()',
  );
  expect(tables.map(table => table.name)).toContain('idempotent_requests');
  const rows = await Promise.all(tables.map(table => em.execute<object[]>(`select * from ${table.name}`)));
  const kept = JSON.stringify(rows) + gateway.lines.join('');
  for (const text of [secret, rotated.body.secret]) expect(kept).not.toContain(text.slice('bil_test_'.length, -4));
  expect((await newKey()).secret).not.toBe((await newKey()).secret);
});

it('gives no false secret once the one it is made from has changed', async () => {
  await using other = await startGateway({ beside: gateway, authSecret: 'another secret, 32 letters or more' });
  const { owner, path } = await gateway.givenProject();
  const asked = { body: KEY, headers: { cookie: owner.cookie, 'idempotency-key': 'k' } };
  expect((await gateway.call('POST', `${path}/api-keys`, asked)).status).toBe(201);
  expect(await other.call('POST', `${path}/api-keys`, asked)).toMatchObject({
    status: 409,
    body: { error: { code: 'secret_not_repeatable' } },
  });
});

it('does not undo a later rotation that overlaps with a repeated one', async () => {
  const { owner, path, newKey } = await gateway.givenProject();
  const { id } = await newKey();
  const rotate = (key: string) =>
    gateway.call('POST', `${path}/api-keys/${id}/rotate`, {
      body: { overlapMs: 60_000 },
      headers: { cookie: owner.cookie, 'idempotency-key': key },
    });
  const first = await rotate('one');
  const second = await rotate('two');
  await loseAnswers();
  expect((await rotate('one')).body).toMatchObject({ secret: first.body.secret });
  for (const { body } of [first, second]) expect(await statusWith(path, body.secret)).toBe(200);
});

const KEY = { name: 'ci', scopes: ['products:read'] };

const statusWith = async (path: string, secret: string): Promise<number> =>
  (await gateway.call('GET', `${path}/products`, { headers: { authorization: `Bearer ${secret}` } })).status;

/** Leaves things as a process does that dies before it has kept its answer. */
async function loseAnswers(claimedUntil = 'clock_timestamp()'): Promise<void> {
  await gateway.database.em
    .fork()
    .execute(`update idempotent_requests set status = null, body = null, claimed_until = ${claimedUntil}`);
}

/** One request of an operation, and how many things of its kind there are. */
async function given(name: (typeof OPERATIONS)[number]) {
  const { owner, teamId, teamPath, path, newKey } = await gateway.givenProject();
  const counted = async (query: string, ...values: string[]): Promise<number> => {
    const [row] = await gateway.database.em.fork().execute<{ count: string }[]>(query, values);
    return Number(row?.count);
  };
  const rpc =
    (at: string, body: object) =>
    (key: string): Promise<Answer> =>
      gateway.call('POST', at, { body, headers: { cookie: owner.cookie, 'idempotency-key': key } });

  switch (name) {
    case 'createTeam':
      return {
        post: rpc('/api/service/teams', { name: 'Acme' }),
        count: () => counted('select count(*) from members where user_id = ?', owner.userId),
      };
    case 'addMember':
      return {
        post: rpc(`${teamPath}/members`, { email: (await gateway.signUp()).email, role: 'member' }),
        count: () => counted('select count(*) from members where team_id = ?', teamId),
      };
    case 'createProject':
      return {
        post: rpc(`${teamPath}/projects`, { name: 'Shop' }),
        count: () => counted('select count(*) from projects where team_id = ?', teamId),
      };
    case 'createApiKey':
      return {
        post: rpc(`${path}/api-keys`, KEY),
        count: () => counted('select count(*) from api_keys where team_id = ?', teamId),
      };
    case 'rotateApiKey': {
      const { id } = await newKey();
      const before = await hashOf(id);
      return {
        post: rpc(`${path}/api-keys/${id}/rotate`, { overlapMs: 60_000 }),
        // After one rotation the secret before it is the one before, after two it is gone.
        count: () =>
          counted(
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
  const [row] = await gateway.database.em
    .fork()
    .execute<{ secret_hash: string }[]>('select secret_hash from api_keys where id = ?', [id]);
  return String(row?.secret_hash);
}
