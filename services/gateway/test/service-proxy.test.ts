import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { randomUUID } from 'node:crypto';
import { waitFor } from '@billing/testing/wait-for';
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

/** Returns a request for products as the catalog received it. */
async function receivedWith(headers: Record<string, string>) {
  const { body } = await gateway.call('GET', `${shop.path}/products`, { headers: { ...bearer, ...headers } });
  return body as { headers: Record<string, string>; principal: { kind: string; projectId: string } };
}

describe('a service', () => {
  it('S14: gets the identity from the gateway, not from the caller’s headers', async () => {
    const { headers, principal } = await receivedWith({
      'x-billing-identity': 'forged',
      'X-Billing-Team': 'team_other',
      'x-internal-auth': '1',
      x_internal_auth: '1',
      'x-tenant-id': 'team_other',
      'X-TENANT-ID2': 'team_other',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=10.0.0.1',
      'x-real-ip': '10.0.0.1',
      'x-http-method-override': 'DELETE',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'forged=1',
      baggage: 'forged=1',
      cookie: 'billing.session_token=x',
    });
    expect(principal).toMatchObject({ kind: 'api-key', projectId: shop.projectId });
    expect(Object.keys(headers).toSorted()).toEqual([
      'accept',
      'accept-language',
      'connection',
      'host',
      'user-agent',
      'x-billing-identity',
      'x-request-id',
    ]);
    expect(JSON.stringify(headers)).not.toMatch(/team_other|forged|10\.0\.0\.1|evil/);
  });

  it('gets the headers that describe the request', async () => {
    const { headers } = await receivedWith({
      'idempotency-key': 'once',
      'accept-language': 'de',
    });
    expect(headers).toMatchObject({ 'idempotency-key': 'once', 'accept-language': 'de' });
  });

  it('gets no cookies, except the portal, which gets its own', async () => {
    const cookie = 'billing.session_token=x; portal_return=of-the-browser; stray=2';
    for (const [method, path] of [
      ['GET', '/portal/return/x'],
      ['POST', '/api/portal/token/setup-intent'],
    ] as const) {
      const { body, headers } = await gateway.call(method, path, { headers: { cookie } });
      expect(body).toMatchObject({ service: 'portal', headers: { cookie: 'portal_return=of-the-browser' } });
      expect(headers.getSetCookie()).toEqual(['portal_return=of-the-service; Path=/portal/return/x']);
    }
    const { headers } = await gateway.call('GET', `${shop.path}/portal/sessions`, { headers: { ...bearer, cookie } });
    expect(headers.getSetCookie()).toEqual([]);
    expect((await receivedWith({ cookie })).headers).not.toHaveProperty('cookie');
  });

  it('S22: never gets the headers of another request on the same connection', async () => {
    const other = await gateway.createTenant();
    const callers = [
      { path: shop.path, headers: bearer, projectId: shop.projectId },
      { path: other.path, headers: (await other.createKey()).bearer, projectId: other.projectId },
      { path: other.path, headers: { cookie: other.owner.cookie }, projectId: other.projectId },
      { path: shop.path, headers: {}, projectId: undefined },
    ];
    const requests = Array.from({ length: 100 }, (_, round) =>
      callers.map((caller, index) => ({ ...caller, id: `${round}.${index}` })),
    ).flat();
    const results = await Promise.all(
      requests.map(async ({ id, path, headers }) => {
        const response = await gateway.call('GET', `${path}/products`, { headers: { ...headers, 'x-request-id': id } });
        return [response.status, response.body.headers?.['x-request-id'], response.body.principal?.projectId];
      }),
    );
    expect(results).toEqual(
      requests.map(({ id, projectId }) =>
        projectId === undefined ? [401, undefined, undefined] : [200, id, projectId],
      ),
    );
  });

  it('gets the exact bytes of a signed body of any content type', async () => {
    const body = '{ "id" : "evt_1",\n  "é": 1 }\r\n';
    for (const type of ['application/json', 'text/plain']) {
      const headers = { 'stripe-signature': 't=1,v1=abc', 'content-type': type };
      const response = await gateway.call('POST', '/api/webhooks/processor/team_x', { body, headers });
      expect(response.body).toMatchObject({
        service: 'webhooks',
        principal: { kind: 'anonymous' },
        body: Buffer.from(body).toString('latin1'),
        delivery: { teamId: 'team_x', signature: 't=1,v1=abc' },
      });
    }
  });

  it('never has to close a connection that a request could still use', async () => {
    const { catalog, webhooks } = gateway.services;
    await gateway.call('GET', `${shop.path}/products`, { headers: bearer });
    expect(await catalog.connections()).toBeGreaterThan(0);
    await gateway.call('POST', '/api/webhooks/processor/team_x', { body: '{}' });
    expect(await webhooks.connections()).toBeGreaterThan(0);
    await vi.waitFor(
      async () => expect(await Promise.all([catalog.connections(), webhooks.connections()])).toEqual([0, 0]),
      5_000,
    );
  });

  it('gets a chunked body as a whole', async () => {
    const stream = new ReadableStream({
      start(controller) {
        for (const part of ['{"na', 'me":', '"x"}']) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    const response = await fetch(`${gateway.url}${shop.path}/products`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    });
    expect(await response.json()).toMatchObject({ body: '{"name":"x"}', headers: { 'content-length': '12' } });
  });
});

describe('a caller', () => {
  it('gets the service’s response without internal headers', async () => {
    const response = await gateway.call('GET', `${shop.path}/products?status=422`, { headers: bearer });
    expect(response.status).toBe(422);
    for (const name of ['x-powered-by', 'x-billing-secret', 'set-cookie', 'etag', 'server'])
      expect(response.headers.get(name)).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('gets the service’s tag and how to cache it, and 304 without a body for what it has', async () => {
    const tag = '"a-tag"';
    const get = (headers: Record<string, string>) =>
      gateway.call('GET', `${shop.path}/products?etag=${encodeURIComponent(tag)}`, {
        headers: { ...bearer, ...headers },
      });
    for (const [known, status] of [
      [{}, 200],
      [{ 'if-none-match': '"another"' }, 200],
      [{ 'if-none-match': tag }, 304],
    ] as const) {
      const response = await get(known);
      expect([response.status, response.headers.get('etag')]).toEqual([status, tag]);
      expect(response.headers.get('cache-control')).toBe('private, max-age=0');
      expect(response.headers.get('x-ratelimit-limit')).not.toBeNull();
      expect(response.text === '').toBe(status === 304);
    }
  });

  it('S44: gets its request id back, or a new one if its own is not loggable', async () => {
    const ownId = randomUUID();
    const idOf = async (id?: string) => {
      const headers = { ...bearer, ...(id !== undefined && { 'x-request-id': id }) };
      const response = await gateway.call('GET', `${shop.path}/products`, { headers });
      expect(response.body.headers['x-request-id']).toBe(response.headers.get('x-request-id'));
      return response.headers.get('x-request-id');
    };
    expect(await idOf(ownId)).toBe(ownId);
    expect(await idOf('a'.repeat(128))).toBe('a'.repeat(128));
    expect(await idOf('plain._-')).toBe('plain._-');
    const mark = randomUUID();
    const long = [mark.padEnd(129, 'x'), mark.repeat(100)];
    const odd = ['', ' x', '\t1', '"}', '\\n', '%0d%0aX-Injected:1', 'é', ',other', ';b', '</b>', '/../x', '${jndi:x}'];
    for (const bad of [undefined, '', ...long, ...odd.map(end => `${mark}${end}`).filter(text => text !== mark)]) {
      const id = await idOf(bad);
      expect(id, bad).toMatch(/^[0-9a-f-]{36}$/);
      const headers = bad === undefined ? {} : { 'x-request-id': bad };
      const refused = await gateway.call('GET', `${shop.path}/products`, { headers });
      expect(refused.body.error.requestId).toBe(refused.headers.get('x-request-id'));
      expect(refused.text + JSON.stringify([...refused.headers])).not.toContain(mark);
    }
    expect(gateway.logLines.join('')).toContain(ownId);
    expect(gateway.logLines.join('')).not.toContain(mark);
  });

  it('gets 503 with Retry-After when the service is down, too slow or breaks off', async () => {
    await using impatient = await startGateway({ copyOf: gateway, responseTimeoutMs: 200 });
    for (const query of ['?hang=1', '?break=1']) {
      const response = await impatient.call('GET', `${shop.path}/products${query}`, { headers: bearer });
      expect(response).toMatchObject({
        status: 503,
        body: { error: { code: 'unavailable' } },
      });
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    await gateway.services.analytics.close();
    const response = await gateway.call('GET', `${shop.path}/analytics`, { headers: bearer });
    expect(response).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(response.text).not.toMatch(/ECONN|127\.0\.0\.1|node_modules/);
  });

  it('gets 503, not 401, when a service rejects the gateway’s identity token', async () => {
    const response = await gateway.call('GET', `${shop.path}/products?status=401`, { headers: bearer });
    expect(response).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(response.headers.has('x-powered-by')).toBe(false);
  });

  it('S9: is logged without its portal token', async () => {
    await gateway.call('GET', '/portal/secret-token-of-a-customer?tab=invoices');
    await gateway.call('POST', '/api/portal/secret-token-of-a-customer/setup-intent');
    await gateway.call('GET', '//portal/secret-token-of-a-customer');
    expect(gateway.logLines.join('')).toContain('/portal/:token');
    expect(gateway.logLines.join('')).not.toContain('secret-token-of-a-customer');
  });
});

it('S87: sends a service a bounded number of one team’s requests at once, and another team’s meanwhile', async () => {
  await using own = await startGateway();
  const [noisy, quiet] = [await own.createTenant(), await own.createTenant()];
  const [{ bearer: headers }, { bearer: others }] = [await noisy.createKey(), await quiet.createKey()];
  const callers = Array.from({ length: 40 }, () => new AbortController());
  const hanging = callers.map(({ signal }) =>
    fetch(`${own.url}${noisy.path}/products?hang=1`, { headers, signal }).catch(() => undefined),
  );
  await waitFor(() => own.received().length === 32, { what: 'the requests that have a place' });
  const sent = await own.call('GET', `${quiet.path}/products`, { headers: others });
  expect(sent.status).toBe(200);
  expect(own.received()).toHaveLength(33);
  // Who hangs up leaves the place.
  for (const caller of callers.slice(0, 20)) caller.abort();
  await waitFor(() => own.received().length > 33, { what: 'the requests that waited' });
  for (const caller of callers) caller.abort();
  await Promise.all(hanging);
});
