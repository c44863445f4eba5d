import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aRequestId, startGateway, type Gateway } from './harness.ts';

let gateway: Gateway;
let shop: Awaited<ReturnType<Gateway['givenProject']>>;
let bearer: { authorization: string };
beforeAll(async () => {
  gateway = await startGateway();
  shop = await gateway.givenProject();
  ({ bearer } = await shop.newKey());
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** What the catalog saw of a request for the products. */
async function seenWith(headers: Record<string, string>) {
  const { body } = await gateway.call('GET', `${shop.path}/products`, { headers: { ...bearer, ...headers } });
  return body as { headers: Record<string, string>; principal: { kind: string; projectId: string } };
}

describe('what a service sees', () => {
  it('is the gateway’s word on who asks, whatever the caller says', async () => {
    const { headers, principal } = await seenWith({
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
      cookie: 'billing.session_token=x',
    });
    expect(principal).toMatchObject({ kind: 'api-key', projectId: shop.projectId });
    expect(Object.keys(headers).toSorted()).toEqual(
      ['accept', 'accept-language', 'connection', 'host', 'user-agent', 'x-billing-identity', 'x-request-id'].filter(
        name => name in headers,
      ),
    );
    expect(JSON.stringify(headers)).not.toMatch(/team_other|forged|10\.0\.0\.1|evil/);
  });

  it('includes what belongs to the request', async () => {
    const { headers } = await seenWith({
      'idempotency-key': 'once',
      'accept-language': 'de',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(headers).toMatchObject({
      'idempotency-key': 'once',
      'accept-language': 'de',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
  });

  it('is of all cookies only the portal’s, and of that only the portal', async () => {
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
    expect((await seenWith({ cookie })).headers).not.toHaveProperty('cookie');
  });

  it('is never another request’s, over kept connections, alternating and side by side', async () => {
    const other = await gateway.givenProject();
    const askers = [
      { path: shop.path, headers: bearer, projectId: shop.projectId },
      { path: other.path, headers: (await other.newKey()).bearer, projectId: other.projectId },
      { path: other.path, headers: { cookie: other.owner.cookie }, projectId: other.projectId },
      { path: shop.path, headers: {}, projectId: undefined },
    ];
    const asked = Array.from({ length: 100 }, (_, round) =>
      askers.map((asker, index) => ({ ...asker, id: `${round}.${index}` })),
    ).flat();
    const seen = await Promise.all(
      asked.map(async ({ id, path, headers }) => {
        const answer = await gateway.call('GET', `${path}/products`, { headers: { ...headers, 'x-request-id': id } });
        return [answer.status, answer.body.headers?.['x-request-id'], answer.body.principal?.projectId];
      }),
    );
    expect(seen).toEqual(
      asked.map(({ id, projectId }) => (projectId === undefined ? [401, undefined, undefined] : [200, id, projectId])),
    );
  });

  it('is the raw bytes of a signed body, of whatever type it is said to be', async () => {
    const body = '{ "id" : "evt_1",\n  "é": 1 }\r\n';
    for (const type of ['application/json', 'text/plain']) {
      const headers = { 'stripe-signature': 't=1,v1=abc', 'content-type': type };
      const answer = await gateway.call('POST', '/api/webhooks/processor/team_x', { body, headers });
      expect(answer.body).toMatchObject({
        service: 'webhooks',
        principal: { kind: 'anonymous' },
        body: Buffer.from(body).toString('latin1'),
        delivery: { teamId: 'team_x', signature: 't=1,v1=abc' },
      });
    }
  });

  it('is a body sent in chunks, whole', async () => {
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

describe('what a caller sees', () => {
  it('is the service’s answer, without what is between the gateway and the service', async () => {
    const answer = await gateway.call('GET', `${shop.path}/products?status=422`, { headers: bearer });
    expect(answer.status).toBe(422);
    for (const name of ['x-powered-by', 'x-billing-secret', 'set-cookie', 'etag', 'server'])
      expect(answer.headers.get(name)).toBeNull();
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is the request’s own id, or a new one where it has none that can be logged', async () => {
    const mine = aRequestId();
    const idOf = async (id?: string) => {
      const headers = { ...bearer, ...(id !== undefined && { 'x-request-id': id }) };
      const answer = await gateway.call('GET', `${shop.path}/products`, { headers });
      expect(answer.body.headers['x-request-id']).toBe(answer.headers.get('x-request-id'));
      return answer.headers.get('x-request-id');
    };
    expect(await idOf(mine)).toBe(mine);
    expect(await idOf('a'.repeat(128))).toBe('a'.repeat(128));
    for (const bad of [undefined, '', 'a'.repeat(129), 'a b', 'a;b', '<script>'])
      expect(await idOf(bad)).toMatch(/^[0-9a-f-]{36}$/);
    expect(gateway.lines.filter(line => line.includes(mine)).length).toBeGreaterThan(0);
  });

  it('is 503 with a time to wait when the service is down, too slow, or breaks off', async () => {
    await using hasty = await startGateway({ beside: gateway, answerTimeoutMs: 200 });
    for (const how of ['?hang=1', '?break=1']) {
      const answer = await hasty.call('GET', `${shop.path}/products${how}`, { headers: bearer });
      expect(answer).toMatchObject({
        status: 503,
        body: { error: { code: 'unavailable' } },
      });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    await gateway.services.analytics.close();
    const answer = await gateway.call('GET', `${shop.path}/analytics`, { headers: bearer });
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(answer.text).not.toMatch(/ECONN|127\.0\.0\.1|node_modules/);
  });

  it('is 503 when a service does not believe the gateway, for the caller’s credential is in order', async () => {
    const answer = await gateway.call('GET', `${shop.path}/products?status=401`, { headers: bearer });
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(answer.headers.has('x-powered-by')).toBe(false);
  });

  it('is told in the log without the token of a portal', async () => {
    await gateway.call('GET', '/portal/secret-token-of-a-customer?tab=invoices');
    await gateway.call('POST', '/api/portal/secret-token-of-a-customer/setup-intent');
    await gateway.call('GET', '//portal/secret-token-of-a-customer');
    expect(gateway.lines.join('')).toContain('/portal/:token');
    expect(gateway.lines.join('')).not.toContain('secret-token-of-a-customer');
  });
});
