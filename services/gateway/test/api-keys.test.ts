import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeyId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { startGateway, withoutRequestId, type Gateway } from './harness.ts';

let gateway: Gateway;
/** A second copy of the gateway on the same database, which hears of nothing but by looking. */
let copy: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  copy = await startGateway({ beside: gateway });
});
afterAll(async () => {
  await copy[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const statusAt = async (of: Gateway, path: string, headers: Record<string, string>) =>
  (await of.call('GET', `${path}/products`, { headers })).status;
/** Revocation and the like hold everywhere within a second. */
const withinASecond = (what: string) => ({ what, timeoutMs: 1_000 });

describe('an API key', () => {
  it('is shown with its secret once, and never again', async () => {
    const { owner, path } = await gateway.givenProject();
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const scopes = ['products:read', 'products:write'];
    const created = await owner.as('POST', `${path}/api-keys`, {
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
      createdAt: expect.stringMatching(/Z$/),
    });
    const list = await owner.as('GET', `${path}/api-keys`);
    expect(list.body).toEqual({ apiKeys: [apiKey] });
    expect(list.text).not.toContain(secret);

    const { rows } = {
      rows: await gateway.database.em.fork().execute<object[]>('select * from api_keys where id = ?', [apiKey.id]),
    };
    expect(JSON.stringify(rows)).not.toContain(secret.slice(9, -4));
  });

  it('opens its project to what its scopes name, as a signed statement says to the service', async () => {
    const { path, newKey, teamId, projectId } = await gateway.givenProject();
    const key = await newKey(['products:read']);
    const answer = await gateway.call('GET', `${path}/products?limit=5`, { headers: key.bearer });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        service: 'catalog',
        url: `${path}/products?limit=5`,
        principal: { kind: 'api-key', keyId: key.id, teamId, projectId, scopes: ['products:read'] },
      },
    });
  });

  it('notes when it was used, without holding the request up', async () => {
    const { owner, path, newKey } = await gateway.givenProject();
    const key = await newKey();
    const before = Date.now();
    await gateway.call('GET', `${path}/products`, { headers: key.bearer });
    const lastUsedAt = async () => (await owner.as('GET', `${path}/api-keys`)).body.apiKeys[0].lastUsedAt;
    const first = await waitFor(lastUsedAt, { what: 'the time of use' });
    expect(Date.parse(first)).toBeGreaterThanOrEqual(before);
    for (const of of [gateway, copy]) await of.call('GET', `${path}/products`, { headers: key.bearer });
    expect(await lastUsedAt()).toBe(first);
  });

  it('that is revoked is refused here at once, by every copy within a second, and tells the bus', async () => {
    const { owner, path, newKey, projectId } = await gateway.givenProject();
    const key = await newKey();
    const heard: unknown[] = [];
    const stop = await gateway.bus.consume('test-revoked', 'api-key.revoked.v1', async event => {
      heard.push(event.data);
      return { kind: 'done' };
    });
    for (const of of [gateway, copy]) expect(await statusAt(of, path, key.bearer)).toBe(200);
    expect((await owner.as('DELETE', `${path}/api-keys/${key.id}`)).body).toEqual({ success: true });
    expect(await statusAt(gateway, path, key.bearer)).toBe(401);
    await waitFor(async () => (await statusAt(copy, path, key.bearer)) === 401, withinASecond('the copy to notice'));
    await waitFor(() => heard.length === 1, { what: 'the fact' });
    expect(heard).toEqual([{ keyId: key.id, projectId }]);
    expect((await owner.as('GET', `${path}/api-keys`)).body.apiKeys).toEqual([]);
    await stop();
  });

  it('that expires is refused from that moment on', async () => {
    const { path, newKey } = await gateway.givenProject();
    const key = await newKey(undefined, { expiresAt: new Date(Date.now() + 700).toISOString() });
    expect(await statusAt(gateway, path, key.bearer)).toBe(200);
    await waitFor(async () => (await statusAt(gateway, path, key.bearer)) === 401, {
      what: 'the key to expire',
      timeoutMs: 1_500,
    });
  });

  it('that is rotated takes its new secret at once, and the old one only while they overlap', async () => {
    const { owner, path, newKey } = await gateway.givenProject();
    const key = await newKey();
    expect(await statusAt(copy, path, key.bearer)).toBe(200);
    const rotate = async (body: object) => {
      const answer = await owner.as('POST', `${path}/api-keys/${key.id}/rotate`, body);
      expect(answer).toMatchObject({ status: 201, body: { apiKey: { id: key.id } } });
      expect(answer.body.apiKey.last4).toBe(answer.body.secret.slice(-4));
      return { authorization: `Bearer ${answer.body.secret}` };
    };

    const second = await rotate({ overlapMs: 900 });
    for (const secret of [key.bearer, second])
      for (const of of [gateway, copy]) expect(await statusAt(of, path, secret)).toBe(200);
    await waitFor(async () => (await statusAt(copy, path, key.bearer)) === 401, {
      what: 'the overlap to end',
      timeoutMs: 2_000,
    });

    const third = await rotate({});
    expect(await statusAt(gateway, path, second)).toBe(401);
    expect(await statusAt(gateway, path, third)).toBe(200);
    await waitFor(async () => (await statusAt(copy, path, second)) === 401, withinASecond('the copy to notice'));
  });

  it('is one and the same 401 when malformed, mistyped, unknown, revoked, expired or of another scheme', async () => {
    const { owner, path, newKey } = await gateway.givenProject();
    const revoked = await newKey();
    await owner.as('DELETE', `${path}/api-keys/${revoked.id}`);
    const expired = await newKey(undefined, { expiresAt: new Date(Date.now() + 50).toISOString() });
    await waitFor(async () => (await statusAt(gateway, path, expired.bearer)) === 401, { what: 'the key to expire' });
    const unknown = await copy.givenProject().then(stranger => stranger.newKey());
    await gateway.database.em.fork().execute('delete from api_keys where id = ?', [unknown.id]);
    const good = (await newKey()).secret;

    const answers = await Promise.all(
      [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        'Bearer nonsense',
        `Bearer ${good.slice(0, -1)}`,
        `Bearer ${good} ${good}`,
        `Bearer ${good.toUpperCase()}`,
        `Basic ${btoa(`${good}:`)}`,
        good,
        revoked.bearer.authorization,
        expired.bearer.authorization,
        unknown.bearer.authorization,
      ].map(authorization =>
        gateway.call('GET', `${path}/products`, { headers: authorization === undefined ? {} : { authorization } }),
      ),
    );
    expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('that cannot be is not created', async () => {
    const { owner, path } = await gateway.givenProject();
    const create = (body: object) => owner.as('POST', `${path}/api-keys`, body);
    const past = { name: 'x', scopes: ['products:read'], expiresAt: '2020-01-01T00:00:00Z' };
    expect((await create(past)).body.error.details.fields).toEqual([
      { path: 'expiresAt', message: expect.any(String) },
    ]);
    expect((await create({ name: 'x', scopes: ['everything'] })).body.error.details.fields[0].path).toBe('scopes.0');
    expect((await create({ name: 'x', scopes: [] })).status).toBe(400);
  });

  it('of another project is as absent as one that never was', async () => {
    const { owner, path } = await gateway.givenProject();
    const stranger = await (await gateway.givenProject()).newKey();
    for (const [method, rest] of [
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      const ids = [stranger.id, ApiKeyId.create()];
      const answers = await Promise.all(
        ids.map(id => owner.as(method, `${path}/api-keys/${id}${rest}`, method === 'POST' ? {} : undefined)),
      );
      expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: 'api_key_not_found' } } });
    }
  });
});
