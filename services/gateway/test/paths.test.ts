import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw, statusesIn } from './raw-requests.ts';
import { startGateway, type Gateway } from './start-gateway.ts';

let gateway: Gateway;
let shop: Awaited<ReturnType<Gateway['createTenant']>>;
let bearer: { authorization: string };
beforeAll(async () => {
  gateway = await startGateway();
  shop = await gateway.createTenant();
  ({ bearer } = await shop.createKey());
});
afterAll(() => gateway[Symbol.asyncDispose]());

const TEAMS = '/api/service/teams';

describe('an identity in a header', () => {
  /** Header lines that claim to be another tenant, with tokens in the form of the gateway's that nobody has signed. */
  function forgedHeaders(teamId: string, secret: string): string[][] {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const principal = { kind: 'user', userId: 'x', teamId, projectId: 'proj_x', role: 'owner' };
    const tokens = ['none', 'HS256', 'EdDSA'].map(
      alg => `${encode({ alg, typ: 'JWT' })}.${encode({ aud: 'catalog', principal })}.${alg === 'none' ? '' : 'AAAA'}`,
    );
    return [
      ...tokens.map(token => [`x-billing-identity: ${token}`]),
      ...tokens.map(token => [`X-Billing-Identity: ${token}`, `x-billing-identity: ${token}`]),
      [`x_billing_identity: ${tokens[0]}`],
      [`x-billing-identity : ${tokens[0]}`],
      ['Connection: x-billing-identity, close', `x-billing-identity: ${tokens[0]}`],
      ['Connection: authorization, x-request-id, close'],
      [`x-tenant-id: ${teamId}`, `X-Team-Id: ${teamId}`, `X_TENANT_ID: ${teamId}`, 'x-project-id: proj_x'],
      [`x-internal-team: ${teamId}`, 'x-internal-user: admin', 'x-internal-auth: 1'],
      ['x-user-id: admin', 'x-role: owner', 'x-scopes: *', 'x-authenticated: true', 'x-admin: 1', 'remote-user: admin'],
      [`x-api-key: ${secret}`, `proxy-authorization: Bearer ${secret}`],
      [`x-original-url: /${teamId}`, `x-rewrite-url: /${teamId}`],
      ['x-forwarded-for: 127.0.0.1', 'x-real-ip: 127.0.0.1', 'x-client-ip: 127.0.0.1', 'true-client-ip: 127.0.0.1'],
      ['x-http-method-override: DELETE'],
    ];
  }
  const get = async (path: string, lines: readonly string[]) => {
    const closing = lines.some(line => /^connection:/i.test(line)) ? [] : ['Connection: close'];
    const received = await sendRaw(
      gateway,
      [`GET ${path} HTTP/1.1`, 'Host: x', ...lines, ...closing, '', ''].join('\r\n'),
    );
    return { statuses: statusesIn(received), body: received.split('\r\n\r\n')[1] ?? '' };
  };

  it('S14: in any case, twice or named by Connection is not believed, with a key, another team’s key or none', async () => {
    const other = await gateway.createTenant();
    const { secret } = await other.createKey();
    for (const lines of forgedHeaders(other.teamId, secret)) {
      // A space before the colon is not HTTP.
      const isMalformed = lines.some(line => /^[^:]* :/.test(line));
      const own = `Authorization: ${bearer.authorization}`;
      const seen = await get(`${shop.path}/products`, [own, ...lines]);
      expect(seen.statuses, lines.join()).toEqual([isMalformed ? 400 : 200]);
      const believed = {
        method: 'GET',
        principal: { kind: 'api-key', teamId: shop.teamId, projectId: shop.projectId },
      };
      expect(isMalformed ? believed : JSON.parse(seen.body), lines.join()).toMatchObject(believed);
      const before = gateway.received().length;
      const [foreign, anonymous] = [
        await get(`${other.path}/products`, [own, ...lines]),
        await get(`${other.path}/products`, lines),
      ];
      expect(foreign.statuses, lines.join()).toEqual([isMalformed ? 400 : 403]);
      expect(anonymous.statuses, lines.join()).toEqual([isMalformed ? 400 : 401]);
      expect(gateway.received()).toHaveLength(before);
    }
  });

  it('S14: is that of the first of two Authorization headers, or of two cookies', async () => {
    const other = await gateway.createTenant();
    const keys = [bearer.authorization, (await other.createKey()).bearer.authorization];
    const both = keys.map(key => `Authorization: ${key}`);
    expect((await get(`${other.path}/products`, both)).statuses).toEqual([403]);
    const cookies = [shop, other].map(({ owner }) => `Cookie: ${owner.cookie}`);
    const statuses = await Promise.all(
      [shop, other].map(async ({ path }) => (await get(`${path}/products`, cookies)).statuses),
    );
    expect(statuses).toEqual([[200], [403]]);
  });
});

describe('a path', () => {
  it.each([
    '/api/service/teams/TEAM/projects/PROJECT/products/..%2f..%2fcustomers',
    '/api/service/teams/TEAM/projects/PROJECT/products/../customers',
    '/api/service/teams/TEAM/projects/PROJECT/products/%2e%2e/customers',
    '/api/service/teams/TEAM/projects/PROJECT//products',
    '//api/service/teams/TEAM/projects/PROJECT/products',
    '/api/service/teams/TEAM/projects/PROJECT/products;x=1',
    '/api/service/teams/TEAM/projects/PROJECT/products/%00',
    '/api/service/teams/TEAM/projects/PROJECT/products/%5c..%5c',
    '/api/service/teams/TEAM/projects/PROJECT/products/.%2e/customers',
    '/api/service/teams/TEAM/projects/PROJECT/products/..%5ccustomers',
    '/api/service/teams/TEAM/projects/PROJECT/products/..;/customers',
    '/api/service/teams/TEAM/projects/PROJECT/products;/../customers',
    '/api/service/teams/TEAM/projects/PROJECT/./products',
    '/api/service/teams/TEAM/projects/PROJECT/products%00',
    '/api/service/teams/TEAM/projects/PROJECT/products%00.json',
    '/api/service/teams/TEAM/projects/PROJECT/products%20',
    '/api/service/teams/TEAM/projects/PROJECT/products%0d%0aX-Injected:%201',
    '/api/service/teams/TEAM/projects/PROJECT/products.json',
    '/api/service/teams/TEAM/projects/PROJECT/Products',
    '/api/service/teams/TEAM/projects/PROJECT/products\\',
    '/api/service/teams/TEAM/projects/PROJECT/products/%c0%ae%c0%ae/customers',
    '/api/service/teams/TEAM/projects/PROJECT/products/%ff',
    '/api/service/teams/TEAM/projects/PROJECT/products/%zz',
    '/api/service/teams/TEAM/projects/PROJECT%2fproducts',
    '?/api/service/teams/TEAM/projects/PROJECT/products',
    'products',
    'http://evil.example/',
    'https://evil.example/api/service/teams/TEAM/projects/PROJECT/products',
    '//evil.example/api/service/teams/TEAM/projects/PROJECT/products',
    '/health/ready/../../api/service/teams/TEAM/projects/PROJECT/products',
    '/internal/deliveries',
    '/deliveries',
    '/metrics',
    '/_control/ledger',
    '/v1/customers',
    '/portal/../api/service/teams',
    '/portal/x/..%2f..%2fapi',
    '/api/auth/..%2fservice/teams',
    '/api/service/teams/TEAM/projects/PROJECT/products/%252e%252e%252f',
    '/api/service/teams/TEAM/projects/PROJECT/products/%',
    '/api/service/teams/TEAM/projects/PROJECT/products#x',
    '/api/service/teams/TEAM/projects/PROJECT/products//',
    '/API/service/teams/TEAM/projects/PROJECT/products',
    '/api/service/teams/TEAM/projects/PROJECT/unknown',
    '/api/service/teams/TEAM%2fprojects%2fPROJECT/products',
    'http://127.0.0.1/api/service/teams/TEAM/projects/PROJECT/products',
    '*',
    '/health/ready/../../api',
    '/internal',
    '/api/auth/../service/teams',
  ])('S30: such as %s reaches no service', async target => {
    const before = gateway.received().length;
    const path = target.replace('TEAM', shop.teamId).replace('PROJECT', shop.projectId);
    const response = await sendRaw(
      gateway,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer.authorization}\r\nConnection: close\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(response).toMatch(/"code":"(validation_error|route_not_found)"/);
    expect(gateway.received().length).toBe(before);
  });

  it('is forwarded in its canonical form, with its query', async () => {
    const spelled = `${shop.path}/%70roducts/pp_%63afé?limit=1&x=%2e%2e%2f`;
    const { body } = await gateway.call('GET', spelled, { headers: bearer });
    expect(body.url).toBe(`${shop.path}/products/pp_caf%C3%A9?limit=1&x=%2e%2e%2f`);
  });

  it('with a slash at the end is the same', async () => {
    const { body } = await gateway.call('GET', `${shop.path}/products/?limit=1`, { headers: bearer });
    expect(body.url).toBe(`${shop.path}/products?limit=1`);
    const own = await gateway.call('GET', `${TEAMS}/`, { headers: { cookie: shop.owner.cookie } });
    expect(own.status).toBe(200);
    expect((await gateway.call('GET', '/api/auth/get-session/')).status).toBe(200);
  });

  it('responds to HEAD with the length of its GET', async () => {
    const lengthOf = async (method: string, path: string, headers: Record<string, string>) =>
      (await gateway.call(method, path, { headers })).headers.get('content-length');
    const cookie = { cookie: shop.owner.cookie };
    for (const path of [TEAMS, '/api/auth/get-session'])
      expect(await lengthOf('HEAD', path, cookie)).toBe(await lengthOf('GET', path, cookie));
    expect(await lengthOf('HEAD', `${shop.path}/products?length=4711`, bearer)).toBe('4711');
    expect(await lengthOf('HEAD', `${shop.path}/products`, bearer)).toBeNull();
  });

  it('S6: allows no other site a request, nor have another method by a header, the query or the form', async () => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const preflighted = await gateway.call('OPTIONS', `${shop.path}/products`, { headers: preflight });
    expect(preflighted.status).toBe(404);
    expect([...preflighted.headers.keys()].filter(name => name.startsWith('access-control-'))).toEqual([]);
    const before = gateway.received().length;
    const product = `${shop.path}/products/pp_x`;
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override', '_method']) {
      const headers = { ...bearer, [name]: 'DELETE' };
      expect((await gateway.call('GET', `${product}?_method=DELETE`, { headers })).body.method).toBe('GET');
    }
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const headers = { ...bearer, 'content-type': type };
      const body = type.endsWith('json') ? { _method: 'DELETE' } : '_method=DELETE';
      expect((await gateway.call('POST', `${product}?_method=DELETE`, { headers, body })).status).toBe(404);
    }
    expect(gateway.received().slice(before)).toHaveLength(4);
  });

  it('responds only to its own methods', async () => {
    for (const method of ['PUT', 'OPTIONS', 'PATCH', 'PROPFIND', 'QUERY']) {
      const response = await gateway.call(method, `${shop.path}/products`, { headers: bearer });
      expect(response).toMatchObject({ status: 404, body: { error: { code: 'route_not_found' } } });
    }
    for (const method of ['TRACE', 'CONNECT', 'TRACK', 'DEBUG', 'get', 'DELETE\t']) {
      const request = `${method} ${shop.path}/products HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect((await sendRaw(gateway, request)).slice(0, 13), method).toBeOneOf(['HTTP/1.1 404 ', 'HTTP/1.1 400 ', '']);
    }
    const head = await gateway.call('HEAD', `${shop.path}/products`, { headers: bearer });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect((await gateway.call('HEAD', `${shop.path}/products`)).status).toBe(401);
  });
});
