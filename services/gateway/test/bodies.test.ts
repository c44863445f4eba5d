import {
  Agent,
  request as startRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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

  it.each([{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }])(
    'that is not there says as much as one without fields, with %j',
    async headers => {
      const response = await gateway.call('POST', `${shop.path}/products`, { headers: { ...bearer, ...headers } });
      expect(response).toMatchObject({ status: 200, body: { body: '{}' } });
      const owner = { cookie: shop.owner.cookie, ...headers };
      const own = await gateway.call('POST', '/api/service/teams', { headers: owner });
      expect(own).toMatchObject({ status: 400, body: { error: { details: { fields: [{ path: 'name' }] } } } });
    },
  );

  it('may be a merge patch', async () => {
    const headers = { ...bearer, 'content-type': 'application/merge-patch+json' };
    const changed = await gateway.call('PATCH', `${shop.path}/products/prod_x`, { body: '{"name":"x"}', headers });
    expect(changed).toMatchObject({ status: 200, body: { body: '{"name":"x"}' } });
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
    expect(await sendRaw(gateway, head + 'x'.repeat(1_000_000))).toMatch(/^HTTP\/1\.1 400 /);
});

it('ignores an Expect header that Node does not know', async () => {
  const connection = oneConnection();
  const headers = { ...bearer, expect: 'a miracle' };
  expect((await sendOver(connection, { path: `${shop.path}/products`, headers })).status).toBe(200);
});

/** A request that lies in the body of another one, or behind its end: two servers could see different ends of the first. */
const HIDDEN = 'DELETE /hidden HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const CHUNKED = `0\r\n\r\n${HIDDEN}`;
const LENGTH = `Content-Length: ${CHUNKED.length}`;
const OF_HIDDEN = `Content-Length: ${HIDDEN.length}`;

it.each([
  [[LENGTH, 'Transfer-Encoding: chunked'], CHUNKED],
  [['Transfer-Encoding: chunked', 'Content-Length: 4'], `5c\r\n${HIDDEN}\r\n0\r\n\r\n`],
  [[LENGTH, 'Transfer-Encoding : chunked'], CHUNKED],
  [[LENGTH, 'Transfer-Encoding: xchunked'], CHUNKED],
  [[LENGTH, 'Transfer-Encoding: chunked, identity'], CHUNKED],
  [[LENGTH, 'Transfer-Encoding: identity, chunked'], CHUNKED],
  [[LENGTH, 'Transfer-Encoding: identity'], CHUNKED],
  [[LENGTH, 'Transfer-Encoding:\tchunked'], CHUNKED],
  [[LENGTH, 'Transfer-Encoding: "chunked"'], CHUNKED],
  [[LENGTH, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], CHUNKED],
  [[LENGTH, 'X: y\nTransfer-Encoding: chunked'], CHUNKED],
  [[LENGTH, 'Transfer-Encoding:\n chunked'], CHUNKED],
  [[LENGTH, 'X: y\rTransfer-Encoding: chunked'], CHUNKED],
  [['Transfer-Encoding: chunked, identity'], CHUNKED],
  [['Transfer-Encoding : chunked'], CHUNKED],
  [['Connection: close', 'Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
  [['Content-Length: 0', OF_HIDDEN], HIDDEN],
  [[OF_HIDDEN, 'Content-Length: 0'], HIDDEN],
  [[`Content-Length: 0, ${HIDDEN.length}`], HIDDEN],
  [[`Content-Length: +${HIDDEN.length}`], HIDDEN],
  [['Content-Length: -1'], HIDDEN],
  [[`Content-Length: 0x${HIDDEN.length.toString(16)}`], HIDDEN],
  [[`Content-Length : ${HIDDEN.length}`], HIDDEN],
  [[`${OF_HIDDEN} `, 'Transfer-Encoding: chunked'], CHUNKED],
  [['Transfer-Encoding: chunked'], `0\n\n${HIDDEN}`],
  [['Transfer-Encoding: chunked'], `zz\r\n${HIDDEN}`],
  [['Transfer-Encoding: chunked'], `-1\r\n${HIDDEN}`],
  [['Transfer-Encoding: chunked'], `ffffffffffffffffff\r\n${HIDDEN}`],
  [['Transfer-Encoding: chunked'], `1\rX\r\n0\r\n\r\n${HIDDEN}`],
  [[' Content-Length: 0'], HIDDEN],
  [['X: y\n'], ''],
  [['X-Bad\u0000: y', 'Content-Length: 0'], HIDDEN],
])('S30: rejects the framing %j', async (lines, rest) => {
  const before = gateway.received().length;
  const own = ['Host: x', `Authorization: ${bearer.authorization}`, 'Content-Type: application/json'];
  const response = await sendRaw(
    gateway,
    [`POST ${shop.path}/products HTTP/1.1`, ...own, ...lines, '', rest].join('\r\n'),
  );
  expect(statusesIn(response)).toEqual([400]);
  expect(response).toContain('"code":"validation_error"');
  expect(gateway.received().length).toBe(before);
});

it('S30: responds to requests one behind the other on a connection in order, each by its own credential', async () => {
  const get = (headers: string) => `GET ${shop.path}/products HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const key = `Authorization: ${bearer.authorization}\r\n`;
  const received = await sendRaw(gateway, get(key) + get('') + get(key) + get('') + get(`${key}Connection: close\r\n`));
  expect(statusesIn(received)).toEqual([200, 401, 200, 401, 200]);
});

it.each([
  'nonsense\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
  'GET / HTTP/1.1\r\n\r\n',
])('S32: names no software in the error of what is hardly HTTP: %j', async request => {
  const received = await sendRaw(gateway, request);
  expect(statusesIn(received)[0]).toBeGreaterThanOrEqual(400);
  expect(received).not.toMatch(/^(?:server|x-powered-by|via|allow):/im);
  expect(received).not.toMatch(/node|express|\bat \S+ \(|v\d+\.\d+\.\d+/i);
});

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
