import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metrics } from '@opentelemetry/api';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import express from 'express';
import { BUNDLE_SIZE, decodeBundle, type Delivery, type DeliveryResponse } from '@billing/contracts/delivery-bundle';
import { testIdentity } from '@billing/service/testing/identity';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { identityTokens } from '#auth/identity-tokens.ts';
import { openBodyBudget } from '#http/body-budget.ts';
import { errorHandler } from '#http/problem-response.ts';
import { requestContext, type GatewayResponse } from '#http/request-context.ts';
import { openWebhookForwarder } from '#proxy/webhook-forwarder.ts';

const MIB = 1_048_576;
const identity = testIdentity('webhooks');

type RespondTo = (bundle: readonly Delivery[]) => Promise<readonly DeliveryResponse[]>;

/** Starts the webhook route of a gateway, and a webhooks service that returns what `respondTo` returns. */
async function startForwarder(respondTo: RespondTo, responseTimeoutMs = 10_000) {
  const resources = new AsyncDisposableStack();
  const listen = async (handler: Parameters<typeof createServer>[1]) => {
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    resources.defer(async () => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo; // a server on a TCP port has this kind of address
    return { url: `http://127.0.0.1:${port}`, server };
  };

  const bundles: (readonly Delivery[])[] = [];
  const connections: (number | undefined)[] = [];
  const service = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding gives buffers
    const bundle = decodeBundle(Buffer.concat(chunks));
    bundles.push(bundle);
    connections.push(request.socket.remotePort);
    const responses = await respondTo(bundle);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ responses }));
  });

  const tokenFor = identityTokens(identity.privateKey, () => new Date());
  const quota = { check: () => undefined, reserve: () => async () => undefined };
  const forwarder = resources.adopt(
    openWebhookForwarder({ url: service.url, tokenFor, quota, responseTimeoutMs }),
    opened => opened.close(),
  );
  let receivedCount = 0;
  const app = express();
  const bodyBudget = openBodyBudget(1_024 * MIB);
  app.use(
    requestContext({
      logger: pino({ level: 'silent' }),
      publicUrl: 'http://127.0.0.1',
      bodyBudget,
      isTrustedProxy: () => false,
    }),
  );
  app.post('/:teamId', async (request, response) => {
    request.once('end', () => (receivedCount += 1));
    await forwarder.forward(request, response as GatewayResponse, request.params.teamId); // requestContext has filled its locals
  });
  app.use(errorHandler);
  const gateway = await listen(app);

  const post = async (body: string, teamId = 'team_x') => {
    const response = await fetch(`${gateway.url}/${teamId}`, { method: 'POST', body });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  return {
    bundles,
    /** The port of each bundle's connection. */
    connections,
    post,
    service,
    /** Waits until the gateway has read this many webhooks. */
    hasReceived: (count: number) => waitFor(() => receivedCount === count, { what: `${count} webhooks to arrive` }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const echo: RespondTo = async bundle => bundle.map(({ body }) => ({ status: 200, body: { echo: body.toString() } }));

/** Holds every response until `release` is called. */
function heldEcho() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const respondTo: RespondTo = async bundle => {
    await promise;
    return echo(bundle);
  };
  return { respondTo, release };
}

it('bundles webhooks that arrive together, and returns to each its own response', async () => {
  const { respondTo, release } = heldEcho();
  await using forwarder = await startForwarder(respondTo);
  const bodies = Array.from({ length: 300 }, (_, index) => `event ${index}`);
  const responses = Promise.all(bodies.map(body => forwarder.post(body)));
  await forwarder.hasReceived(300);
  release();
  expect((await responses).map(({ status, body }) => [status, body['echo']])).toEqual(bodies.map(body => [200, body]));
  expect(forwarder.bundles.flat()).toHaveLength(300);
  // Three bundles are in flight at once; the other webhooks wait, and fill at most two.
  expect(forwarder.bundles.length).toBeLessThanOrEqual(5);
  for (const bundle of forwarder.bundles) expect(bundle.length).toBeLessThanOrEqual(BUNDLE_SIZE);
});

it('uses its connections in turn, so that each copy of the service gets webhooks', async () => {
  const { respondTo, release } = heldEcho();
  await using forwarder = await startForwarder(respondTo);
  const together: Promise<unknown>[] = [];
  for (const count of [1, 2, 3]) {
    together.push(forwarder.post('together'));
    await waitFor(() => forwarder.bundles.length === count, { what: `${count} bundles to arrive` });
  }
  release();
  await Promise.all(together);
  for (let sent = 0; sent < 3; sent += 1) await forwarder.post('alone');
  const [ofBundles, later] = [forwarder.connections.slice(0, 3), forwarder.connections.slice(3)];
  expect(new Set(ofBundles).size).toBe(3);
  expect(new Set(later)).toEqual(new Set(ofBundles));
});

it('returns each error response to its own caller', async () => {
  await using forwarder = await startForwarder(async bundle =>
    bundle.map(({ body }) =>
      body.toString() === 'busy'
        ? { status: 503, retryAfterSeconds: 7, body: { error: 'busy' } }
        : { status: 400, body: { error: 'bad' } },
    ),
  );
  expect(await Promise.all([forwarder.post('busy'), forwarder.post('x')])).toEqual([
    { status: 503, retryAfter: '7', body: { error: 'busy' } },
    { status: 400, retryAfter: null, body: { error: 'bad' } },
  ]);
});

it('S75: tells Stripe when to send again what a full team has no room for, and stores the other team’s', async () => {
  const full = { status: 429, retryAfterSeconds: 60, body: { error: 'full' } };
  await using forwarder = await startForwarder(async bundle =>
    bundle.map(({ body }) => (body.toString() === 'of the full team' ? full : { status: 200, body: {} })),
  );
  expect(await Promise.all([forwarder.post('of the full team'), forwarder.post('x')])).toEqual([
    { status: 429, retryAfter: '60', body: { error: 'full' } },
    { status: 200, retryAfter: null, body: {} },
  ]);
});

it('limits the bytes of a bundle', async () => {
  const { respondTo, release } = heldEcho();
  await using forwarder = await startForwarder(respondTo);
  const body = 'x'.repeat(MIB / 16);
  const responses = Promise.all(Array.from({ length: 240 }, () => forwarder.post(body)));
  await forwarder.hasReceived(240);
  release();
  for (const { status } of await responses) expect(status).toBe(200);
  expect(Math.max(...forwarder.bundles.map(bundle => bundle.length))).toBe(64);
});

/** Reads the refusals that are counted from here on, by limit and team. */
function countRefusals() {
  const reader = new (class extends MetricReader {
    protected onShutdown = async (): Promise<void> => undefined;
    protected onForceFlush = async (): Promise<void> => undefined;
  })();
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  onTestFinished(() => metrics.disable());
  return async () => {
    const { resourceMetrics } = await reader.collect();
    const read = resourceMetrics.scopeMetrics.flatMap(scope => scope.metrics);
    const counted = read.find(({ descriptor }) => descriptor.name === 'billing.gateway.refusals');
    return counted?.dataPoints.map(({ attributes, value }) => ({ ...attributes, value }));
  };
}

it('S75: sends the large webhooks of a team one at a time, refuses what too many would wait for, and no other team waits', async () => {
  const refusals = countRefusals();
  const { respondTo, release } = heldEcho();
  await using forwarder = await startForwarder(bundle =>
    bundle.every(({ teamId }) => teamId === 'team_noisy') ? respondTo(bundle) : echo(bundle),
  );
  const large = Promise.all(Array.from({ length: 20 }, () => forwarder.post('x'.repeat(MIB / 10), 'team_noisy')));
  await forwarder.hasReceived(20);
  expect((await forwarder.post('small')).status).toBe(200);
  expect((await forwarder.post('x'.repeat(MIB))).status).toBe(200);
  expect(forwarder.bundles.flat().filter(({ teamId }) => teamId === 'team_noisy')).toHaveLength(1);
  release();
  const statuses = (await large).map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([...Array<number>(16).fill(200), ...Array<number>(4).fill(429)]);
  expect(await refusals()).toEqual([{ limit: 'largeWebhooks', 'billing.team.id': 'team_noisy', value: 4 }]);
});

it('S75: sends the large webhooks of a team at 2 MiB a second, however fast the service is', async () => {
  await using forwarder = await startForwarder(echo);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const large = 'x'.repeat(MIB);
  expect((await forwarder.post(large)).status).toBe(200);
  const second = forwarder.post(large);
  await forwarder.hasReceived(2);
  vi.advanceTimersByTime(499);
  expect((await forwarder.post('small')).status).toBe(200);
  expect(forwarder.bundles).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect((await second).status).toBe(200);
});

it('returns 503 while the service hangs, and recovers with it', async () => {
  let hangs = true;
  await using forwarder = await startForwarder(
    async bundle => (hangs ? new Promise<never>(() => undefined) : echo(bundle)),
    300,
  );
  const responses = await Promise.all(Array.from({ length: 50 }, () => forwarder.post('x')));
  expect(responses.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(responses.map(() => [503, '2']));
  hangs = false;
  await waitFor(async () => (await forwarder.post('again')).status === 200, { what: 'a webhook to pass again' });
});

it.each([
  ['too few responses', async () => []],
  ['responses of another shape', async () => [{ status: 'fine' } as unknown as DeliveryResponse]],
])('returns 503 when the service returns %s', async (_what, respondTo) => {
  await using forwarder = await startForwarder(respondTo);
  expect(await forwarder.post('x')).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
});

it('returns 503 when the service is down', async () => {
  await using forwarder = await startForwarder(echo);
  forwarder.service.server.close();
  forwarder.service.server.closeAllConnections();
  expect(await forwarder.post('x')).toMatchObject({ status: 503, retryAfter: '2' });
});
