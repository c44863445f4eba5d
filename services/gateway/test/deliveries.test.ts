import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { decodeBundle, type Delivery, type DeliveryResponse } from '@billing/contracts/delivery-bundle';
import { testIdentity } from '@billing/testing/identity';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openDeliveries } from '#forwarding/deliveries.ts';
import { createIdentityTokens } from '#forwarding/statements.ts';
import { answerError } from '#http/answer-problem.ts';
import { identifyRequest } from '#http/identify-request.ts';
import type { Reply } from '#http/exchange.ts';

const MIB = 1_048_576;
const identity = testIdentity('webhooks');

/** The receiving part of a gateway in front of a webhooks service that answers each bundle as the test says. */
async function startReceiving(
  answer: (bundle: readonly Delivery[]) => Promise<readonly DeliveryResponse[]>,
  answerTimeoutMs = 10_000,
) {
  const resources = new AsyncDisposableStack();
  const bundles: (readonly Delivery[])[] = [];
  const serve = async (handler: Parameters<typeof createServer>[1]) => {
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    resources.defer(async () => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo; // a server on a TCP port has this kind of address
    return { url: `http://127.0.0.1:${port}`, server };
  };
  const service = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding gives buffers
    const bundle = decodeBundle(Buffer.concat(chunks));
    bundles.push(bundle);
    const answers = await answer(bundle);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ answers }));
  });
  const state = createIdentityTokens(identity.privateKey, () => new Date());
  const deliveries = resources.adopt(openDeliveries({ url: service.url, state, answerTimeoutMs }), opened =>
    opened.close(),
  );
  const app = express();
  app.use(identifyRequest(pino({ level: 'silent' })));
  app.post('/:teamId', (request, reply) => deliveries.forward(request, reply as Reply, request.params.teamId)); // the step before has filled its locals
  app.use(answerError);
  const gateway = await serve(app);
  const post = async (body: string) => {
    const response = await fetch(`${gateway.url}/team_x`, { method: 'POST', body });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  return { bundles, post, service, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const echo = async (bundle: readonly Delivery[]) =>
  bundle.map(({ body }) => ({ status: 200, body: { was: body.toString() } }));

it('sends those that come together as one, and answers each for itself', async () => {
  await using receiving = await startReceiving(async bundle => {
    await pause(20);
    return echo(bundle);
  });
  const bodies = Array.from({ length: 300 }, (_, index) => `event ${index}`);
  const answers = await Promise.all(bodies.map(body => receiving.post(body)));
  expect(answers.map(({ status, body }) => [status, body['was']])).toEqual(bodies.map(body => [200, body]));
  expect(receiving.bundles.flat()).toHaveLength(300);
  expect(receiving.bundles.length).toBeLessThan(150);
});

it('passes refusals on, each to its own caller', async () => {
  await using receiving = await startReceiving(async bundle =>
    bundle.map(({ body }) =>
      body.toString() === 'busy'
        ? { status: 503, retryAfterSeconds: 7, body: { error: 'busy' } }
        : { status: 400, body: { error: 'bad' } },
    ),
  );
  expect(await Promise.all([receiving.post('busy'), receiving.post('x')])).toEqual([
    { status: 503, retryAfter: '7', body: { error: 'busy' } },
    { status: 400, retryAfter: null, body: { error: 'bad' } },
  ]);
});

it('sends large bodies in bundles that stay small', async () => {
  await using receiving = await startReceiving(async bundle => {
    await pause(20);
    return bundle.map(() => ({ status: 200, body: {} }));
  });
  const body = 'x'.repeat(MIB);
  const answers = await Promise.all(Array.from({ length: 24 }, () => receiving.post(body)));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  for (const bundle of receiving.bundles) expect(bundle.length).toBeLessThanOrEqual(4);
});

it('answers 503 to all that wait for a service that hangs, and goes on when it is back', async () => {
  let hanging = true;
  await using receiving = await startReceiving(
    async bundle => (hanging ? new Promise<never>(() => undefined) : echo(bundle)),
    300,
  );
  const answers = await Promise.all(Array.from({ length: 50 }, () => receiving.post('x')));
  expect(answers.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(answers.map(() => [503, '2']));
  hanging = false;
  await waitFor(async () => (await receiving.post('again')).status === 200, { what: 'webhooks to pass again' });
});

it.each([
  ['fewer answers than deliveries', async () => []],
  ['answers of another shape', async () => [{ status: 'fine' } as unknown as DeliveryResponse]],
])('answers 503 to a service that gives %s', async (_what, answer) => {
  await using receiving = await startReceiving(answer);
  expect(await receiving.post('x')).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
});

it('answers 503 when nobody listens', async () => {
  await using receiving = await startReceiving(echo);
  receiving.service.server.close();
  receiving.service.server.closeAllConnections();
  expect(await receiving.post('x')).toMatchObject({ status: 503, retryAfter: '2' });
});
