import { once } from 'node:events';
import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { catalogOperations } from '@billing/contracts/operations/catalog';
import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import { notFound } from '@billing/contracts/problem';
import { createSigner, type SignerOptions } from 'fast-jwt';
import { pino } from 'pino';
import { createHttpServer } from '../src/http.ts';
import { IDENTITY_HEADER, identityTokenSigner, identityTokenVerifier, type Principal } from '../src/identity-token.ts';
import { serve } from '../src/serve.ts';
import { testIdentity } from '../src/testing/identity.ts';

const { privateKey, publicKey, verifyIdentityToken, headers: tokenHeaders } = testIdentity('catalog');
const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
const member: Principal = { kind: 'user', userId: 'u1', role: 'owner', ...scope };
const path = `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/products`;

it('returns 401 without an identity token for this service, method and path', async () => {
  const app = catalog(undefined, {}, undefined, identityTokenVerifier(publicKey, 'catalog'));
  const forged = testIdentity('catalog');
  const request = { method: 'GET', path };
  const identity = { principal: member, caller: null };
  const tokens = [
    undefined,
    'nonsense',
    identityTokenSigner(forged.privateKey, 'catalog')(identity, request),
    identityTokenSigner(privateKey, 'customers')(identity, request),
    identityTokenSigner(privateKey, 'catalog')(identity, { ...request, method: 'DELETE' }),
    identityTokenSigner(privateKey, 'catalog')(identity, { ...request, path: `${path}/prod_1` }),
    signedWith({ expiresIn: 60_000 }),
    signedWith({ aud: 'catalog' }),
  ];
  for (const token of tokens) {
    const headers = token ? { [IDENTITY_HEADER]: token } : {};
    const response = await app.inject({ method: 'GET', url: path, headers });
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.json()).toMatchObject({ error: { code: 'unauthorized' } });
  }
});

it('returns 403 for a token of another team or project, or without the scope', async () => {
  const app = catalog();
  const key = { kind: 'api-key', keyId: 'key_00000000000000000000', ...scope } as const;
  const rejected: Principal[] = [
    { ...member, teamId: TeamId.create() },
    { ...member, projectId: ProjectId.create() },
    { kind: 'anonymous' },
    { ...key, scopes: ['products:write'] },
  ];
  for (const principal of rejected) expect((await get(app, path, principal)).statusCode).toBe(403);
  expect((await get(app, path, { ...key, scopes: ['products:read'] })).statusCode).toBe(200);
});

it('returns 403 to API keys and members where a session or an owner is required', async () => {
  const app = createHttpServer({ logger: pino({ level: 'silent' }), verifyIdentityToken });
  serve(app, webhooksOperations.getWebhookUrl, async () => ({ webhookUrl: 'https://a.example', instructions: '' }));
  serve(app, webhooksOperations.connectProcessor, async () => {
    throw notFound('processor');
  });
  const key: Principal = { kind: 'api-key', keyId: 'key_00000000000000000000', ...scope, scopes: ['products:read'] };
  const processor = `/api/service/teams/${scope.teamId}/processor`;
  expect((await get(app, `${processor}/webhook-url`, key)).statusCode).toBe(403);
  expect((await get(app, `${processor}/webhook-url`, { ...member, role: 'member' })).statusCode).toBe(200);
  const connect = (role: 'member' | 'owner') => {
    const payload = { secretKey: 'sk_test_1', publishableKey: 'pk_test_1', webhookSecret: 'whsec_123456' };
    return app.inject({
      method: 'POST',
      url: `${processor}/connect`,
      headers: tokenHeaders({ ...member, role }),
      payload,
    });
  };
  expect((await connect('member')).statusCode).toBe(403);
  expect((await connect('owner')).statusCode).toBe(404);
});

it('names every invalid or unknown field', async () => {
  const response = await catalog().inject({
    method: 'POST',
    url: path,
    headers: tokenHeaders(member),
    payload: { name: '', isActive: true, metadata: { teamId: 'x', ok: 1 } },
  });
  expect(response.statusCode).toBe(400);
  expect(response.json().error.code).toBe('validation_error');
  const paths: string[] = response.json().error.details.fields.map((field: { path: string }) => field.path);
  expect(new Set(paths)).toEqual(new Set(['name', 'metadata.teamId', 'metadata.ok', 'isActive']));
});

it.each([
  ['malformed JSON', '{"name":', 'application/json', 400, 'validation_error'],
  ['__proto__', '{"name":"x","__proto__":{"a":1}}', 'application/json', 400, 'validation_error'],
  [
    'text that is not UTF-8',
    Buffer.from('{"name":"J\u00f6rg"}', 'latin1'),
    'application/json',
    400,
    'validation_error',
  ],
  ['another charset', '{"name":"x"}', 'application/json; charset=latin1', 415, 'unsupported_media_type'],
  ['plain text', '{"name":"x"}', 'text/plain', 415, 'unsupported_media_type'],
  ['another type', 'name=x', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
  ['too much', JSON.stringify({ name: 'x'.repeat(1_100_000) }), 'application/json', 413, 'payload_too_large'],
])('returns %s as a problem of the caller', async (_what, payload, type, status, code) => {
  const headers = { ...tokenHeaders(member), 'content-type': type };
  const response = await catalog().inject({ method: 'POST', url: path, headers, payload });
  expect(response.statusCode).toBe(status);
  expect(response.json()).toMatchObject({ error: { code } });
});

it('responds to HEAD with the length of its GET', async () => {
  const app = catalog();
  const head = await app.inject({ method: 'HEAD', url: path, headers: tokenHeaders(member) });
  expect(head.headers['content-length']).toBe(String((await get(app, path, member)).body.length));
});

it('returns the caller’s request id, and no details of an internal error', async () => {
  const app = catalog(async () => {
    throw new Error('relation "products" does not exist');
  });
  const response = await app.inject({
    method: 'GET',
    url: path,
    headers: { ...tokenHeaders(member), 'x-request-id': 'req-1' },
  });
  expect(response.statusCode).toBe(500);
  expect(response.json()).toEqual({
    error: { code: 'internal', message: 'Something went wrong on our side.', requestId: 'req-1' },
  });
});

it('asks a caller for a new connection after a thousand requests, and fails none of them', async () => {
  await using resources = new AsyncDisposableStack();
  const app = resources.adopt(catalog(), opened => opened.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const agent = resources.adopt(new Agent({ keepAlive: true, maxSockets: 1 }), opened => opened.destroy());
  let connections = 0;
  app.server.on('connection', () => (connections += 1));
  const statuses = new Set<number | undefined>();
  for (let request = 0; request < 1_001; request += 1) {
    const [response] = (await once(httpGet(`${url}/health/live`, { agent }), 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    statuses.add(response.statusCode);
  }
  expect([...statuses]).toEqual([200]);
  expect(connections).toBe(2);
});

it('returns 503 while the database is unavailable', async () => {
  const app = catalog(async () => {
    throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  });
  const response = await get(app, path, member);
  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBe('2');
});

it('rejects writes while overloaded, and serves reads', async () => {
  let isOverloaded = true;
  const app = catalog(undefined, {}, () => isOverloaded);
  const create = (url = path, headers: Record<string, string> = tokenHeaders(member)) =>
    app.inject({ method: 'POST', url, headers, payload: { name: 'x' } });
  const rejected = await create();
  expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([503, '5']);
  expect(rejected.json()).toMatchObject({
    error: {
      code: 'unavailable',
      message: 'Writes are paused while the event backlog drains. Nothing was changed; send the request again later.',
    },
  });
  expect((await create('/no/such/path')).statusCode).toBe(503);
  expect((await create(path, {})).statusCode).toBe(401);
  expect((await get(app, path, member)).statusCode).toBe(200);
  expect((await app.inject({ method: 'HEAD', url: path, headers: tokenHeaders(member) })).statusCode).toBe(200);
  expect((await app.inject('/health/ready')).statusCode).toBe(200);
  isOverloaded = false;
  expect((await create()).statusCode).toBe(404);
});

it('S76: rejects the writes of a team alone while too many of its events wait', async () => {
  const app = catalog(undefined, {}, undefined, undefined, teamId => teamId === member.teamId);
  const create = (principal: Principal) =>
    app.inject({ method: 'POST', url: path, headers: tokenHeaders(principal), payload: { name: 'x' } });
  const rejected = await create(member);
  expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([429, '5']);
  expect(rejected.json()).toMatchObject({ error: { code: 'rate_limited' } });
  // The path is not that team's: it was refused by no limit.
  expect((await create({ ...member, teamId: TeamId.create() })).statusCode).toBe(403);
  expect((await get(app, path, member)).statusCode).toBe(200);
});

it('is ready when every check succeeds, and names the ones that fail', async () => {
  let up = false;
  const app = catalog(undefined, {
    database: async () => up || Promise.reject(new Error('unavailable')),
    broker: async () => true,
  });
  expect((await app.inject('/health/live')).statusCode).toBe(200);
  const notReady = await app.inject('/health/ready');
  expect([notReady.statusCode, notReady.json()]).toEqual([503, { status: 'not-ready', failed: ['database'] }]);
  up = true;
  expect((await app.inject('/health/ready')).statusCode).toBe(200);
});

it('stays ready without what it can do without, and names it', async () => {
  const app = createHttpServer({
    logger: pino({ level: 'silent' }),
    verifyIdentityToken: identityTokenVerifier(publicKey, 'catalog'),
    checks: { database: async () => true },
    degradedWithout: { broker: async () => Promise.reject(new Error('unavailable')) },
  });
  const ready = await app.inject('/health/ready');
  expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ready', degraded: ['broker'] }]);
});

const signedWith = (options: Partial<SignerOptions>): string =>
  createSigner({ algorithm: 'EdDSA', key: privateKey, ...options })({
    principal: member,
    caller: null,
    method: 'GET',
    path,
  });

type App = ReturnType<typeof catalog>;
const get = (app: App, url: string, principal: Principal) =>
  app.inject({ method: 'GET', url, headers: tokenHeaders(principal) });

function catalog(
  fail?: () => Promise<never>,
  checks = {},
  isOverloaded = () => false,
  verify = verifyIdentityToken,
  isTeamOverloaded: (teamId: string) => boolean = () => false,
) {
  const logger = pino({ level: 'silent' });
  const app = createHttpServer({ logger, verifyIdentityToken: verify, checks, isOverloaded, isTeamOverloaded });
  serve(app, catalogOperations.listProducts, async ({ query }) => {
    await fail?.();
    return {
      products: [],
      pagination: {
        limit: query.limit,
        offset: query.offset,
        total: 0,
        totalIsExact: true,
        hasMore: false,
        nextCursor: null,
      },
    };
  });
  serve(app, catalogOperations.createProduct, async () => {
    throw notFound('product');
  });
  return app;
}
