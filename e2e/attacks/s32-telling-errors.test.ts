import { allOperations } from '@billing/contracts/operations/index';
import { errorBody } from '@billing/contracts/problem';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { send, type AttackResponse } from '../system/hostile/send.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { isDeclared, requestTo } from '../system/operations/requests.ts';
import { newResources, type Resources } from '../system/operations/resources.ts';

let tenant: Tenant;
let resources: Resources & { readonly token: string };
beforeAll(async () => {
  tenant = await newTenant();
  resources = await newResources(tenant);
});

/** What tells how the system is made: source locations, SQL, libraries, hosts and versions. */
const TELLING =
  /node_modules|\/src\/|\.[cm]?[jt]s\b|\bat \S+ \(|select .+ from|insert into|pg_|postgres|mikro|fastify|express|zod|nats|jetstream|ECONN|127\.0\.0\.1:|localhost:|stack|syntaxerror|unexpected token|v\d+\.\d+\.\d+/i;
/** Headers that name software. */
const TELLING_HEADERS = [
  'server',
  'x-powered-by',
  'via',
  'x-runtime',
  'x-version',
  'x-billing-identity',
  'x-billing-problem',
  'allow',
];

/** Returns what a response tells that it should not; an error must have the common form. */
function toldBy({ status, headers, text }: AttackResponse): string[] {
  const told = TELLING_HEADERS.filter(name => name in headers);
  if (status < 400) return told;
  const [telling] = TELLING.exec(text) ?? [];
  return [
    ...told,
    ...(telling === undefined ? [] : [telling]),
    ...(status < 500 ? [] : ['not the caller’s fault']),
    ...(isCommonError(text) ? [] : [`not the common form: ${text.slice(0, 100)}`]),
  ];
}

function isCommonError(text: string): boolean {
  try {
    return errorBody.safeParse(JSON.parse(text)).success;
  } catch {
    return text.startsWith('<!doctype html>');
  }
}

/** Bodies that no operation takes. */
const BROKEN_BODIES = [
  '{',
  '',
  'null',
  '[]',
  '"text"',
  '1e999',
  '{"a":',
  `{"a":"${'x'.repeat(70_000)}`,
  '{"__proto__":{"x":1}}',
  '\ufeff{}',
  '['.repeat(2_000),
  '\u0000',
];

/** Requests with a credential that may do everything, which no operation accepts. */
function brokenRequests() {
  const { user, secret } = tenant;
  return allOperations.flatMap((operation, at) => {
    const { method, path: target, body } = requestTo(operation, tenant, resources);
    // What breaks before an operation looks at it: half of it goes to each.
    const half = (all: readonly string[]) => all.filter((_text, index) => (index + at) % 2 === 0);
    const own =
      operation.access.kind === 'project'
        ? { authorization: `Bearer ${secret}` }
        : { cookie: user.cookie, origin: inject('gatewayUrl') };
    const json = { ...own, 'content-type': 'application/json' };
    const fields = Object.keys(body ?? {});
    const all = (value: unknown) => JSON.stringify(Object.fromEntries(fields.map(name => [name, value])));
    const bodies = [...half(BROKEN_BODIES), all({ a: [1] }), all('\ud800'), all('\u0000')];
    const lastSegment = target.split('?')[0]?.split('/').at(-1) ?? '';
    const paths = [
      `${target}${target.includes('?') ? '&' : '?'}limit=x&offset=%ff&a[b]=c`,
      target.replace(lastSegment, `${lastSegment}'--`),
      target.replace(lastSegment, '%00'),
      target.replace(lastSegment, '%e0%a4%a'),
      target.replace(lastSegment, 'x'.repeat(3_000)),
    ];
    const types = half(['text/html', 'application/json; charset=utf-7', 'multipart/form-data; boundary=x', 'x']);
    const withBodies = [
      ...bodies.map(text => ({ path: target, headers: json, body: Buffer.from(text) })),
      ...types.map(type => ({ path: target, headers: { ...own, 'content-type': type }, body: Buffer.from('{}') })),
      { path: target, headers: { ...json, 'content-encoding': 'gzip' }, body: Buffer.from('{}') },
    ];
    const withoutBodies = [
      ...paths.map(changed => ({ path: changed, headers: method === 'GET' ? own : json })),
      { path: target, headers: { ...own, 'idempotency-key': 'x'.repeat(4_000) } },
      { path: target, headers: { authorization: 'Basic x' } },
      { path: target, headers: { authorization: `Bearer ${secret}`, cookie: 'a=b' } },
    ].map(request => ({ ...request, body: undefined }));
    const requests = method === 'GET' ? withoutBodies : [...withBodies, ...withoutBodies];
    // A deletion that happens to be accepted would leave nothing to break.
    return requests
      .filter(request => method !== 'DELETE' || request.path !== target)
      .map(request => ({ id: operation.id, method, ...request }));
  });
}

describe('an error', () => {
  it('S32: broken bodies, types, encodings, paths, queries and credentials get a generic error from every operation, and no header names software', async () => {
    const requests = brokenRequests();
    expect(requests.length).toBeGreaterThan(500);
    const told = await mapConcurrently(requests, async ({ id, ...request }) => {
      const response = await send(inject('gatewayUrl'), request);
      return toldBy(response).map(
        what => `${id} ${request.path.slice(-60)} ${request.body?.toString().slice(0, 40)}: ${response.status} ${what}`,
      );
    });
    expect(told.flat()).toEqual([]);
  });

  it('S32: broken sign-ins, resets and second factors get the same generic errors', async () => {
    const paths = [
      'sign-up/email',
      'sign-in/email',
      'sign-out',
      'verify-password',
      'change-password',
      'reset-password',
      'request-password-reset',
      'revoke-session',
      'two-factor/enable',
      'two-factor/verify-totp',
      'nothing',
    ];
    const bodies = [
      '{',
      '[]',
      '"x"',
      '{"email":{"a":1},"password":[]}',
      '{"email":"a@b.co","password":"\\ud800"}',
      '\u0000',
    ];
    const headers = { 'content-type': 'application/json', cookie: `${tenant.user.cookie}x` };
    const requests = paths.flatMap(path =>
      ['POST', 'GET', 'PUT'].flatMap(method => bodies.map(text => ({ method, path: `/api/auth/${path}`, text }))),
    );
    const told = await mapConcurrently(requests, async ({ method, path, text }) => {
      const body = method === 'GET' ? undefined : Buffer.from(text);
      const response = await send(inject('gatewayUrl'), { method, path, headers, body });
      return toldBy(response).map(what => `${method} ${path} ${text}: ${response.status} ${what}`);
    });
    expect(told.flat()).toEqual([]);
  });

  it('S32: verbs that no operation has are 404 at every path, also TRACE and OPTIONS, and HEAD tells what GET does', async () => {
    const requests = [...Map.groupBy(allOperations, ({ path }) => path).values()].flatMap(([operation]) => {
      if (!operation) return [];
      const { path } = requestTo(operation, tenant, resources);
      const unused = [
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
        'REPORT',
        'SEARCH',
      ].filter(method => !isDeclared(method, operation.path));
      return unused.map(method => ({ method, path }));
    });
    const headers = { authorization: `Bearer ${tenant.secret}` };
    const responses = await mapConcurrently(requests, async request => ({
      ...request,
      response: await send(inject('gatewayUrl'), { ...request, headers, body: undefined }),
    }));
    for (const { method, path, response } of responses) {
      expect({ method, path, status: response.status, told: toldBy(response) }).toEqual({
        method,
        path,
        status: 404,
        told: [],
      });
      expect(response.text).toContain('"code":"route_not_found"');
      expect(response.text).not.toContain(tenant.secret);
    }
    const reads = allOperations.filter(({ method, access }) => method === 'GET' && access.kind === 'project');
    for (const operation of reads) {
      const { path } = requestTo(operation, tenant, resources);
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map(method => send(inject('gatewayUrl'), { method, path, headers, body: undefined })),
      );
      expect({ path, status: head?.status, text: head?.text }).toEqual({ path, status: get?.status, text: '' });
    }
  });

  it('S32: pages, assets, health and unknown paths name no software or version either', async () => {
    const paths = [
      '/',
      '/docs',
      '/openapi.json',
      '/portal',
      '/portal/x',
      `/portal/${resources.token}`,
      '/health/live',
      '/health/ready',
      '/nothing',
      '/.env',
      '/.git/config',
      '/package.json',
      '/server-status',
      '/metrics',
      '/debug',
      '/api',
      '/api/auth/ok',
      '/api/auth/error',
      '/api/auth/nothing',
      '/robots.txt',
      '/favicon.ico',
    ];
    for (const path of paths) {
      const { headers, status } = await send(inject('gatewayUrl'), {
        method: 'GET',
        path,
        headers: {},
        body: undefined,
      });
      expect(status, path).toBeLessThan(500);
      expect(
        TELLING_HEADERS.filter(name => name in headers),
        path,
      ).toEqual([]);
    }
  });
});
