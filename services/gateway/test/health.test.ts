import express from 'express';
import { createStream, openBus } from '@billing/messaging/bus';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { pino } from 'pino';
import { listen } from '#http/server.ts';
import { healthRoutes } from '#routes/health.ts';
import { expect, it } from 'vitest';
import { waitFor } from '@billing/testing/wait-for';
import { startGateway } from './start-gateway.ts';
import { startLink } from '@billing/testing/link';

it('is ready when every service is, otherwise names those that are not', async () => {
  await using gateway = await startGateway();
  expect(await gateway.call('GET', '/health/live')).toMatchObject({ status: 200, body: { status: 'live' } });
  expect(await gateway.call('GET', '/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });

  gateway.services.referrals.setReady(false);
  await gateway.services.catalog.close();
  expect(await gateway.call('GET', '/health/ready')).toMatchObject({
    status: 503,
    body: { status: 'not-ready', failed: ['catalog', 'referrals'] },
  });
  expect((await gateway.call('GET', '/health/live')).status).toBe(200);
});

it('stays ready without its broker, and says what is degraded', async () => {
  await using resources = new AsyncDisposableStack();
  const nats = await connectTestNats();
  const root = testBusRoot();
  await createStream(nats, root);
  const bus = await openBus({ nats, inbox: '_INBOX', logger: pino({ level: 'silent' }), root });
  await bus.remove();
  const app = express().use(healthRoutes({ checks: {}, degradedWithout: { broker: () => bus.ping() } }));
  const { port } = resources.adopt(
    await listen(app, { host: '127.0.0.1', port: 0 }, { max: 10, maxPerAddress: 10, isTrustedProxy: () => false }),
    server => server.close(),
  );
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).json();
  expect(await ready()).toEqual({ status: 'ready' });
  await nats.close();
  expect(await ready()).toEqual({ status: 'ready', degraded: ['broker'] });
});

it('returns 503 while the database is down, and recovers with it', async () => {
  await using links = new AsyncDisposableStack();
  let link: Awaited<ReturnType<typeof startLink>> | undefined;
  await using gateway = await startGateway({
    linkDatabase: async url => {
      link = links.use(await startLink(url));
      return link.url;
    },
  });
  const { owner, path, createKey } = await gateway.createTenant();
  const { bearer } = await createKey();
  await link?.cut();

  const body = { email: owner.email, password: 'some password' };
  const requests = [
    () => gateway.call('GET', `${path}/products`, { headers: bearer }),
    () => owner.call('GET', '/api/service/teams'),
    () => gateway.call('POST', '/api/auth/sign-in/email', { body }),
  ];
  for (const send of requests) {
    const response = await send();
    expect(response).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  }
  expect((await gateway.call('GET', '/health/ready')).body.failed).toEqual(['database']);

  await link?.mend();
  for (const send of requests)
    await waitFor(async () => (await send()).status < 500, { what: 'the gateway to recover' });
});

it('closes connections after their requests in flight, and cuts off none of these', async () => {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const app = express().get('/slow', async (_request, response) => {
    arrived.resolve();
    await released.promise;
    response.json('done');
  });
  const limits = { max: 10, maxPerAddress: 10, isTrustedProxy: () => false };
  const server = await listen(app, { host: '127.0.0.1', port: 0 }, limits);
  // The client keeps its connection open.
  const slow = fetch(`http://127.0.0.1:${server.port}/slow`);
  await arrived.promise;
  const closing = server.close();
  await expect(fetch(`http://127.0.0.1:${server.port}/slow`)).rejects.toThrow('fetch failed');
  released.resolve();
  const response = await slow;
  expect([response.headers.get('connection'), await response.json()]).toEqual(['close', 'done']);
  await closing;
});

it('tells callers to close connections that they do not use, and from the signal on all', async () => {
  const app = express().get('/', (_request, response) => void response.json('served'));
  const limits = { max: 10, maxPerAddress: 10, isTrustedProxy: () => false };
  let isClosing = false;
  const server = await listen(app, { host: '127.0.0.1', port: 0 }, { ...limits, isClosing: () => isClosing });
  const connection = async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${server.port}/`);
    return [status, headers.get('connection'), headers.get('keep-alive')];
  };
  expect(await connection()).toEqual([200, 'keep-alive', 'timeout=4']);
  isClosing = true;
  expect(await connection()).toEqual([200, 'close', null]);
  await server.close();
});
