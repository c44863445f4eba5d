import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeyId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { withoutRequestId } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';

let gateway: Gateway;
/** A second gateway on the same database; it learns of changes only by its queries. */
let copy: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  copy = await startGateway({ copyOf: gateway });
});
afterAll(async () => {
  await copy[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

type Owner = Awaited<ReturnType<Gateway['createTenant']>>['owner'];

const statusAt = async (of: Gateway, path: string, headers: Record<string, string>) =>
  (await of.call('GET', `${path}/products`, { headers })).status;

describe('an API key', () => {
  it('S25: is returned with its secret once', async () => {
    const { owner, path } = await gateway.createTenant();
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const scopes = ['products:read', 'products:write'];
    const created = await owner.call('POST', `${path}/api-keys`, {
      name: 'ci',
      scopes: [...scopes, ...scopes],
      expiresAt,
    });
    const { apiKey, secret } = created.body;
    expect(created.status).toBe(201);
    expect(secret).toMatch(/^bil_test_[0-9A-Za-z]{38}$/);
    expect(apiKey).toEqual({
      id: expect.stringMatching(/^key_\w{20,}$/),
      name: 'ci',
      scopes,
      prefix: 'bil_test_',
      last4: secret.slice(-4),
      expiresAt,
      lastUsedAt: null,
      createdBy: owner.userId,
      createdAt: expect.stringMatching(/Z$/),
    });
    const list = await owner.call('GET', `${path}/api-keys`);
    expect(list.body).toMatchObject({ apiKeys: [apiKey], pagination: { total: 1 } });
    expect(list.text).not.toContain(secret);

    const em = gateway.em.fork();
    const rows = await em.execute<object[]>('select * from api_keys where id = ?', [apiKey.id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret.slice('bil_test_'.length, -4));
  });

  it('reaches the service with its project and scopes in the identity token', async () => {
    const { path, createKey, teamId, projectId } = await gateway.createTenant();
    const key = await createKey(['products:read']);
    const response = await gateway.call('GET', `${path}/products?limit=5`, { headers: key.bearer });
    expect(response).toMatchObject({
      status: 200,
      body: {
        service: 'catalog',
        url: `${path}/products?limit=5`,
        principal: { kind: 'api-key', keyId: key.id, teamId, projectId, scopes: ['products:read'] },
      },
    });
  });

  it('is read after any number of spaces, and never expires with `expiresAt: null`', async () => {
    const { path, owner } = await gateway.createTenant();
    const body = { name: 'forever', scopes: ['products:read'], expiresAt: null };
    const created = await owner.call('POST', `${path}/api-keys`, body);
    expect(created).toMatchObject({ status: 201, body: { apiKey: { expiresAt: null } } });
    for (const scheme of ['Bearer ', 'bearer  ', 'BEARER     ']) {
      const headers = { authorization: `${scheme}${created.body.secret}` };
      expect((await gateway.call('GET', `${path}/products`, { headers })).status).toBe(200);
    }
  });

  it('records its last use, at most once a minute', async () => {
    const { owner, path, createKey } = await gateway.createTenant();
    const key = await createKey();
    const before = Date.now();
    await gateway.call('GET', `${path}/products`, { headers: key.bearer });
    const lastUsedAt = async () => (await owner.call('GET', `${path}/api-keys`)).body.apiKeys[0].lastUsedAt;
    const first = await waitFor(lastUsedAt, { what: 'the time of last use' });
    expect(Date.parse(first)).toBeGreaterThanOrEqual(before);
    for (const of of [gateway, copy]) await of.call('GET', `${path}/products`, { headers: key.bearer });
    expect(await lastUsedAt()).toBe(first);
  });

  it('S4: is rejected by every copy after its revocation', async () => {
    const { owner, path, createKey } = await gateway.createTenant();
    const key = await createKey();
    for (const of of [gateway, copy]) expect(await statusAt(of, path, key.bearer)).toBe(200);
    expect((await owner.call('DELETE', `${path}/api-keys/${key.id}`)).body).toEqual({ success: true });
    expect(await statusAt(gateway, path, key.bearer)).toBe(401);
    await waitFor(async () => (await statusAt(copy, path, key.bearer)) === 401, { what: 'the copy to reject it' });
    expect((await owner.call('GET', `${path}/api-keys`)).body.apiKeys).toEqual([]);
    expect((await owner.call('POST', `${path}/api-keys/${key.id}/rotate`, {})).status).toBe(404);
    expect(await statusAt(gateway, path.replace(/.$/, '0'), key.bearer)).toBe(401);
  });

  it.each([
    ['revocation', (owner: Owner, keyPath: string) => owner.call('DELETE', keyPath)],
    ['rotation', (owner: Owner, keyPath: string) => owner.call('POST', `${keyPath}/rotate`, { overlapMs: 0 })],
    ['expiry', () => Promise.resolve()],
  ] as const)('S4: is never accepted again after its %s, although it is in constant use', async (how, end) => {
    const { owner, path, createKey } = await gateway.createTenant();
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    const key = await createKey(undefined, how === 'expiry' ? { expiresAt } : {});
    let hasEnded = false;
    const afterwards: number[] = [];
    const use = async () => {
      while (afterwards.length < 200) {
        const hadEnded = hasEnded;
        const status = await statusAt(gateway, path, key.bearer);
        if (hadEnded) afterwards.push(status);
      }
    };
    const users = Promise.all(Array.from({ length: 8 }, use));
    const isAccepted = async () => (await statusAt(gateway, path, key.bearer)) === 200;
    await waitFor(isAccepted, { what: 'the key to be used' });
    await end(owner, `${path}/api-keys/${key.id}`);
    if (how === 'expiry') await waitFor(async () => !(await isAccepted()), { what: 'the key to expire' });
    hasEnded = true;
    await users;
    expect(new Set(afterwards)).toEqual(new Set([401]));
  });

  it.concurrent('S4: accepts its previous secret after a rotation only during the overlap', async () => {
    const { owner, path, createKey } = await gateway.createTenant();
    const key = await createKey();
    expect(await statusAt(copy, path, key.bearer)).toBe(200);
    const rotate = async (body: object) => {
      const response = await owner.call('POST', `${path}/api-keys/${key.id}/rotate`, body);
      expect(response).toMatchObject({ status: 201, body: { apiKey: { id: key.id } } });
      expect(response.body.apiKey.last4).toBe(response.body.secret.slice(-4));
      return { authorization: `Bearer ${response.body.secret}` };
    };

    const second = await rotate({ overlapMs: 3_000 });
    for (const secret of [key.bearer, second])
      for (const of of [gateway, copy]) expect(await statusAt(of, path, secret)).toBe(200);
    await waitFor(async () => (await statusAt(copy, path, key.bearer)) === 401, { what: 'the overlap to end' });

    const third = await rotate({});
    expect(await statusAt(gateway, path, second)).toBe(401);
    expect(await statusAt(gateway, path, third)).toBe(200);
    await waitFor(async () => (await statusAt(copy, path, second)) === 401, { what: 'the copy to reject it' });
  });

  it('S4: gets the same 401 for every reason that makes it invalid', async () => {
    const { owner, path, createKey } = await gateway.createTenant();
    const revoked = await createKey();
    await owner.call('DELETE', `${path}/api-keys/${revoked.id}`);
    const expired = await createKey();
    await gateway.em.fork().execute('update api_keys set expires_at = now() where id = ?', [expired.id]);
    await waitFor(async () => (await statusAt(gateway, path, expired.bearer)) === 401, { what: 'the key to expire' });
    const unknown = await copy.createTenant().then(other => other.createKey());
    await gateway.em.fork().execute('delete from api_keys where id = ?', [unknown.id]);
    const { secret: rotated, id } = await createKey();
    await owner.call('POST', `${path}/api-keys/${id}/rotate`, {});
    const good = (await createKey()).secret;

    const keys = [
      'nonsense',
      'bil_test_',
      `bil_test_${'0'.repeat(38)}`,
      'sk_test_123',
      'null',
      'undefined',
      '*',
      'a'.repeat(256),
      good.slice(0, -1),
      `${good}0`,
      good.replace('_test_', '_live_'),
      good.replace(/[a-z](?=[^a-z]*$)/, letter => letter.toUpperCase()),
      `${good} ${good}`,
      `${good}, Bearer ${good}`,
      good.toUpperCase(),
      rotated,
      revoked.secret,
      expired.secret,
      unknown.secret,
    ].map(key => `Bearer ${key}`);
    const others = ['', 'Bearer', 'Bearer ', 'Bearer  ', `Basic ${btoa(`${good}:`)}`, `Token ${good}`, good];
    const headers: Record<string, string>[] = [
      {},
      ...[...keys, ...others].map(authorization => ({ authorization })),
      { 'x-api-key': good },
      { cookie: `authorization=Bearer ${good}` },
    ];
    const responses = await Promise.all([
      ...headers.map(some => gateway.call('GET', `${path}/products`, { headers: some })),
      gateway.call('GET', `${path}/products?api_key=${good}&token=${good}`),
    ]);
    expect(new Set(responses.map(withoutRequestId)).size).toBe(1);
    for (const response of responses) {
      expect(response).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
      expect(response.body).not.toHaveProperty('error.details');
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('needs a future expiry and known scopes', async () => {
    const { owner, path } = await gateway.createTenant();
    const create = (body: object) => owner.call('POST', `${path}/api-keys`, body);
    const past = { name: 'x', scopes: ['products:read'], expiresAt: '2020-01-01T00:00:00Z' };
    expect((await create(past)).body.error.details.fields).toEqual([
      { path: 'expiresAt', message: expect.any(String) },
    ]);
    expect((await create({ name: 'x', scopes: ['everything'] })).body.error.details.fields[0].path).toBe('scopes.0');
    expect((await create({ name: 'x', scopes: [] })).status).toBe(400);
  });

  it('of another project looks like a key that does not exist', async () => {
    const { owner, path } = await gateway.createTenant();
    const otherKey = await (await gateway.createTenant()).createKey();
    for (const [method, rest] of [
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      const ids = [otherKey.id, ApiKeyId.create()];
      const responses = await Promise.all(
        ids.map(id => owner.call(method, `${path}/api-keys/${id}${rest}`, method === 'POST' ? {} : undefined)),
      );
      expect(new Set(responses.map(withoutRequestId)).size).toBe(1);
      expect(responses[0]).toMatchObject({ status: 404, body: { error: { code: 'api_key_not_found' } } });
    }
  });
});
