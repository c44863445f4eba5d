import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { send } from '../system/hostile/send.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { requestTo } from './requests.ts';

/** Operations that a browser's cookie authorizes. */
const byCookie = allOperations.filter(({ access }) => access.kind !== 'portal-token' && access.kind !== 'signature');
const writes = byCookie.filter(({ method }) => method !== 'GET');

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

/** What browsers send with a request that a page of another origin caused. */
const FOREIGN: readonly Record<string, string>[] = [
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
];

/** Sends a request that changes nothing where it is accepted, with the member's cookie. */
async function withCookie(operation: Operation, headers: Record<string, string>, body?: string) {
  const { method, path, body: valid } = requestTo(operation, tenant);
  const text = body ?? (valid === undefined ? undefined : JSON.stringify({ ...(valid as object), unknown: 1 }));
  const attack = {
    method,
    path,
    headers: {
      cookie: tenant.user.cookie,
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: text === undefined ? undefined : Buffer.from(text),
  };
  const response = await send(inject('gatewayUrl'), attack);
  return { row: `${operation.id} with ${JSON.stringify(headers)}`, status: response.status, headers: response.headers };
}

describe('a page of another site, with the cookie of a signed-in member', () => {
  it('S6: any request that a page of another site or a sibling domain causes is 403, reads as well', async () => {
    const table = byCookie.flatMap(operation => FOREIGN.map(headers => ({ operation, headers })));
    const own = new URL(inject('gatewayUrl')).origin;
    const lookAlikes = [`${own}.evil.example`, own.replace('http:', 'https:'), own.replace(/\d+$/, '1'), `${own}/`];
    const listTeams = byCookie.filter(({ id }) => id === 'listTeams' || id === 'connectProcessor');
    for (const operation of listTeams) table.push(...lookAlikes.map(origin => ({ operation, headers: { origin } })));
    const responses = await Promise.all(table.map(one => withCookie(one.operation, one.headers)));
    for (const { row, status, headers } of responses) {
      expect(status, row).toBe(403);
      expect(headers['access-control-allow-origin'], row).toBeUndefined();
    }
  });

  it('S6: a form or plain text, which another site can send without a preflight, is 415 for every write, also without an Origin', async () => {
    const simple = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    const withBody = writes.filter(({ body }) => body);
    const table = withBody.flatMap(operation =>
      [...simple, 'application/jsonp', ''].map(type => ({ operation, headers: { 'content-type': type } })),
    );
    const responses = await Promise.all(table.map(one => withCookie(one.operation, one.headers, '{"name":"x"}')));
    for (const { row, status } of responses) expect(status, row).toBe(415);
    const form = new URLSearchParams({ email: 'a@b.co', password: 'password' });
    for (const path of ['/api/auth/sign-in/email', '/api/auth/sign-up/email'])
      expect((await new Caller().send('POST', path, form)).status).toBe(415);
  });

  it('S6: another site can neither sign its visitor in nor out', async () => {
    const { user, credentials } = tenant;
    for (const headers of FOREIGN) {
      const stranger = new Caller(headers);
      expect((await stranger.post('/api/auth/sign-in/email', credentials)).status).toBe(403);
      expect(stranger.cookie).toBe('');
      expect((await user.send('POST', '/api/auth/sign-out', {}, headers)).status).toBe(403);
    }
    expect(await ok(user.get('/api/auth/get-session'))).toMatchObject({ user: { email: credentials.email } });
  });

  it('S6: a preflight is refused, so that no other site may send JSON or read a response', async () => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const operation of writes.slice(0, 5)) {
      const { path } = requestTo(operation, tenant);
      const { status, headers } = await new Caller().send('OPTIONS', path, undefined, preflight);
      expect(status).toBe(404);
      expect([...headers.keys()].filter(name => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('S6: no write can be had by GET, so that a link or image changes nothing', async () => {
    const gets = new Set(allOperations.filter(({ method }) => method === 'GET').map(({ path }) => path));
    const paths = writes.filter(({ path }) => !gets.has(path)).map(operation => requestTo(operation, tenant).path);
    for (const path of [...paths, '/api/auth/sign-out', '/api/auth/sign-in/email']) {
      // 400 where the last part of the path is read as an id.
      for (const override of [{}, { 'x-http-method-override': 'POST' }, { 'x-method-override': 'DELETE' }])
        expect((await tenant.user.send('GET', path, undefined, override)).status, path).toBeOneOf([400, 404]);
      expect((await tenant.user.get(`${path}?_method=POST`)).status, path).toBeOneOf([400, 404]);
    }
  });

  it('S6: a call with an API key is not a browser’s, and passes whatever its Origin', async () => {
    for (const headers of FOREIGN)
      expect((await tenant.api.send('GET', `${tenant.P}/customers`, undefined, headers)).status).toBe(200);
  });
});
