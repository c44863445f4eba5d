import {
  Agent,
  request as startRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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

describe('a body', () => {
  const send = (path: string, body: string, headers: Record<string, string> = {}) =>
    gateway.call('POST', path, { body, headers: { ...bearer, ...headers } });
  const tooLarge = JSON.stringify({ name: 'x'.repeat(1_048_576) });

  it('over 1 MiB gets 413 everywhere and reaches no service', async () => {
    const before = gateway.received().length;
    const cookie = { cookie: shop.owner.cookie };
    for (const path of [`${shop.path}/products`, '/api/webhooks/processor/team_x', '/api/auth/sign-in/email'])
      expect(await send(path, tooLarge)).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
    const ownOperation = await gateway.call('POST', '/api/service/teams', { body: tooLarge, headers: cookie });
    expect(ownOperation.status).toBe(413);
    expect(gateway.received().length).toBe(before);
  });

  it('over 1 MiB in chunks gets 413', async () => {
    const before = gateway.received().length;
    const chunk = new Uint8Array(65_536).fill(120);
    let sent = 0;
    const endless = new ReadableStream({
      pull: controller => (++sent > 40 ? controller.close() : controller.enqueue(chunk)),
    });
    const headers = { ...bearer, 'content-type': 'application/json' };
    const url = `${gateway.url}${shop.path}/products`;
    const response = await fetch(url, { method: 'POST', headers, body: endless, duplex: 'half' });
    expect(response.status).toBe(413);
    expect(gateway.received().length).toBe(before);
  });

  it('of exactly 1 MiB is accepted', async () => {
    const body = JSON.stringify({ name: '' });
    const full = body.replace('""', `"${'x'.repeat(1_048_576 - body.length)}"`);
    expect((await send(`${shop.path}/products`, full)).body.headers['content-length']).toBe('1048576');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json, text/html',
    'text/json',
  ])('of type %s gets 415, with any credential or none', async type => {
    for (const headers of [bearer, { cookie: shop.owner.cookie }]) {
      const response = await gateway.call('POST', `${shop.path}/products`, {
        body: '{}',
        headers: { ...headers, 'content-type': type },
      });
      expect(response).toMatchObject({ status: 415, body: { error: { code: 'unsupported_media_type' } } });
    }
    expect((await send('/api/auth/sign-in/email', '{}', { 'content-type': type })).status).toBe(415);
  });

  it('of a form reaches the page of the portal, which takes nothing else', async () => {
    const type = 'application/x-www-form-urlencoded';
    const submit = (contentType: string) =>
      gateway.call('POST', '/portal/token/subscriptions/ps_x/cancel', {
        body: 'reason=unused',
        headers: { 'content-type': contentType },
      });
    expect(await submit(`${type}; charset=UTF-8`)).toMatchObject({
      status: 200,
      body: { service: 'portal', headers: { 'content-type': type }, body: 'reason=unused' },
    });
    for (const other of ['application/json', `${type}-x`, 'multipart/form-data', `${type}; charset=iso-8859-1`])
      expect((await submit(other)).status).toBe(415);
  });

  it('that is not UTF-8 gets 400 everywhere and reaches no service', async () => {
    const before = gateway.received().length;
    const post = (path: string, body: Uint8Array<ArrayBuffer>, type = 'application/json') => {
      const headers = { authorization: path === TEAMS ? '' : bearer.authorization, 'content-type': type };
      const cookie = path === TEAMS ? { cookie: shop.owner.cookie } : {};
      if (path === TEAMS) Reflect.deleteProperty(headers, 'authorization');
      return fetch(`${gateway.url}${path}`, { method: 'POST', headers: { ...headers, ...cookie }, body });
    };
    const latin1 = Uint8Array.from(Buffer.from('{"name":"J\u00f6rg"}', 'latin1'));
    for (const path of [`${shop.path}/products`, `${shop.path}/customers`, '/api/auth/sign-in/email', TEAMS]) {
      expect([path, (await post(path, latin1)).status]).toEqual([path, 400]);
      expect((await post(path, latin1, 'application/json; charset=iso-8859-1')).status).toBe(415);
    }
    expect(gateway.received().length).toBe(before);
    const utf8 = Uint8Array.from(Buffer.from('{"name":"J\u00f6rg"}'));
    expect((await post(`${shop.path}/products`, utf8, 'Application/JSON; Charset="UTF-8"')).status).toBe(200);
  });

  it('that is compressed gets 415', async () => {
    for (const path of [`${shop.path}/products`, '/api/webhooks/processor/team_x'])
      expect((await send(path, '{}', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('that is absent is forwarded without a content type', async () => {
    const headers = { ...bearer, 'content-type': 'application/json' };
    const response = await gateway.call('DELETE', `${shop.path}/products/pp_x`, { headers });
    expect(response.body.headers).not.toHaveProperty('content-type');
    expect(response.status).toBe(200);
  });

  it('that is unexpected is discarded, and its connection stays usable', async () => {
    const large = JSON.stringify('x'.repeat(1_000_000));
    const connection = oneConnection();
    for (let round = 0; round < 10; round += 1) {
      const headers = { ...bearer, 'content-type': 'application/json' };
      const response = await sendOver(connection, { path: `${shop.path}/products`, headers }, large);
      expect([response.status, response.body.body]).toEqual([200, '']);
      expect((await sendOver(connection, { path: '/health/live' })).status).toBe(200);
    }
  });

  it('that is unexpected must be JSON', async () => {
    const path = `${shop.path}/products/pp_x`;
    const rejected = await gateway.call('DELETE', path, { body: '{', headers: bearer });
    expect(rejected).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    const headers = { ...bearer, 'content-type': 'text/plain' };
    expect((await gateway.call('DELETE', path, { body: 'x', headers })).status).toBe(415);
  });
});

it('responds to a malformed request although a large body is still arriving', async () => {
  const head = `GET ${shop.path}/products HTTP/1.1\r\nHost: x\r\nBad\0Name: 1\r\nContent-Length: 1000000\r\n\r\n`;
  for (let round = 0; round < 10; round += 1)
    expect(await sendRaw(head + 'x'.repeat(1_000_000))).toMatch(/^HTTP\/1\.1 400 /);
});

it('ignores an Expect header that Node does not know', async () => {
  const connection = oneConnection();
  const headers = { ...bearer, expect: 'a miracle' };
  expect((await sendOver(connection, { path: `${shop.path}/products`, headers })).status).toBe(200);
});

it.each([
  'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
  'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: gzip, chunked\r\nContent-Type: application/json\r\n\r\n0\r\n\r\n',
  'Content-Length: +2\r\n\r\n{}',
  'X: y\n\r\n\r\n',
  'X-Bad\u0000: y\r\n\r\n',
])('rejects the framing %j', async rest => {
  const before = gateway.received().length;
  const response = await sendRaw(
    `POST ${shop.path}/products HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer.authorization}\r\nConnection: close\r\n${rest}`,
  );
  expect(response).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(response).toContain('"code":"validation_error"');
  expect(gateway.received().length).toBe(before);
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
  ])('such as %s reaches no service', async target => {
    const before = gateway.received().length;
    const path = target.replace('TEAM', shop.teamId).replace('PROJECT', shop.projectId);
    const response = await sendRaw(
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

  it('responds only to its own methods', async () => {
    for (const method of ['PUT', 'OPTIONS', 'PATCH', 'PROPFIND', 'QUERY']) {
      const response = await gateway.call(method, `${shop.path}/products`, { headers: bearer });
      expect(response).toMatchObject({ status: 404, body: { error: { code: 'route_not_found' } } });
    }
    expect(await sendRaw(`TRACE ${shop.path}/products HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 404 /,
    );
    const head = await gateway.call('HEAD', `${shop.path}/products`, { headers: bearer });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect((await gateway.call('HEAD', `${shop.path}/products`)).status).toBe(401);
  });
});

/** Sends bytes that no HTTP client would send, and returns everything received. */
function sendRaw(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(request, 'latin1'));
    let response = '';
    socket.on('data', data => (response += data.toString('latin1')));
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
    socket.setTimeout(60_000, () =>
      socket.destroy(new Error(`No response to ${JSON.stringify(request.slice(0, 500))}`)),
    );
  });
}

function oneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** Sends a request over a keep-alive connection; unlike fetch, it can send a GET with a body. */
async function sendOver(agent: Agent, options: RequestOptions, body?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { hostname, port } = new URL(gateway.url);
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const headers = { ...length, ...(options.headers as OutgoingHttpHeaders) }; // no caller gives a list
  startRequest({ ...options, hostname, port, agent, headers }, resolve)
    .once('error', reject)
    .end(body);
  const response = await promise;
  return { status: response.statusCode, body: (await json(response)) as { body?: string } }; // the echo and the health check return objects
}
