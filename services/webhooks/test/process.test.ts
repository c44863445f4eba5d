import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { startLocalProcessor } from '@billing/local-processor/server';
import { createStream, openBus } from '@billing/messaging/bus';
import { stripeClient } from '@billing/processor/stripe-client';
import { createTestDatabase } from '@billing/testing/database';
import { decode } from '@billing/messaging/message-body';
import { messageWith } from '@billing/testing/events';
import { testIdentity } from '@billing/service/testing/identity';
import { connectTestNats, testNatsUrl } from '@billing/testing/nats';
import { projectCreated } from '@billing/testing/projects';
import { waitFor } from '@billing/testing/wait-for';
import { signatureOf } from '@billing/testing/signed-webhooks';
import { Client } from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { newCredentials } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

/** Sets up what the process needs, and returns how to start and call it. */
async function setUp(resources: AsyncDisposableStack, settings: Record<string, string> = {}) {
  const testDatabase = resources.use(await createTestDatabase('webhooks'));
  const processor = resources.adopt(await startLocalProcessor(), running => running.close());
  const identity = testIdentity('webhooks');
  const port = await findFreePort();
  const serviceKey = randomBytes(32).toString('base64');
  const base = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    PORT: `${port}`,
    DATABASE_URL: testDatabase.url,
    NATS_URL: testNatsUrl(),
    LOG_LEVEL: 'warn',
    IDENTITY_PUBLIC_KEY: Buffer.from(identity.publicKey).toString('base64'),
    STRIPE_API_BASE_URL: processor.url,
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    SERVICE_KEY: serviceKey,
    SERVICE_KEYS: `webhooks:${serviceKey}`,
    PUBLIC_URL: 'https://billing.example.com',
    ...settings,
  };
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [MAIN], { env, stdio: 'inherit' });
    resources.defer(() => void child.kill('SIGKILL'));
    await waitFor(async () => (await fetch(`${base}/health/ready`)).ok, { what: 'the service' });
    return child;
  };
  const [teamId, projectId] = [TeamId.create(), ProjectId.create()];
  const headers = { 'content-type': 'application/json' };
  const nats = resources.adopt(await connectTestNats(), connection => connection.close());
  // The process uses the root of production, which it shares with other tests of processes.
  await createStream(nats);
  const bus = await openBus({ nats, inbox: '_INBOX', logger: pino({ level: 'silent' }) });
  /** The ids under which each webhook event of the project was published. */
  const published = new Map<string, Set<string>>();
  nats.subscribe(`${bus.root}.processor.>`, {
    callback: (_err, message) => {
      for (const { id, data } of decode(message)) {
        const eventId = String(Reflect.get(Object(data), 'eventId'));
        if (Reflect.get(Object(data), 'projectId') === projectId)
          published.set(eventId, (published.get(eventId) ?? new Set()).add(id));
      }
    },
  });

  /** Connects the team, and publishes its project as the gateway does. */
  const connect = async (credentials: object): Promise<void> => {
    const path = `/api/service/teams/${teamId}/processor/connect`;
    const connected = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { ...headers, ...identity.asUser({ teamId }, { method: 'POST', path }) },
      body: JSON.stringify(credentials),
    });
    expect(connected.status).toBe(200);
    const created = projectCreated({ teamId, projectId });
    await bus.publish(messageWith(created));
  };
  /** Ends the leases of the process that died, as time does. */
  const endLeases = async (): Promise<void> => {
    const client = new Client({ connectionString: testDatabase.url });
    await client.connect();
    await client.query('update webhook_events set due_at = now() where lease_id is not null');
    await client.end();
  };
  const list = async (): Promise<Record<string, unknown>[]> => {
    const path = `/api/service/teams/${teamId}/projects/${projectId}/webhook-events`;
    const response = await fetch(`${base}${path}`, {
      headers: identity.asUser({ teamId, projectId }, { method: 'GET', path }),
    });
    return ((await response.json()) as { webhookEvents: Record<string, unknown>[] }).webhookEvents; // the API's shape
  };
  return {
    base,
    connect,
    endLeases,
    headers,
    identity,
    list,
    processor,
    projectId,
    published,
    start,
    teamId,
  };
}

it('publishes every event that it confirmed, each under one id, though it is killed meanwhile', async () => {
  await using resources = new AsyncDisposableStack();
  const { base, connect, endLeases, headers, identity, projectId, published, start, teamId } = await setUp(resources);
  const first = await start();
  const credentials = newCredentials();
  await connect(credentials);

  const received: string[] = [];
  const send = async () => {
    const event = customerUpdated(projectId);
    const body = JSON.stringify(event);
    const path = `/api/webhooks/processor/${teamId}`;
    const sender = identity.anonymous({ method: 'POST', path });
    const signed = { ...headers, ...sender, 'stripe-signature': signatureOf(body, credentials.webhookSecret) };
    const response = await fetch(`${base}${path}`, { method: 'POST', headers: signed, body }).catch(() => undefined);
    if (response?.ok) received.push(event.id);
    if (received.length === 60) first.kill('SIGKILL');
  };
  const sending = Array.from({ length: 8 }, async () => {
    while (!first.killed) await send();
  });
  await Promise.all(sending);

  await endLeases();
  await start();
  await waitFor(() => received.every(id => published.has(id)), {
    what: 'every received event to be published',
    intervalMs: 100,
  });
  expect(received.filter(id => published.get(id)?.size !== 1)).toEqual([]);
});

it('recovers events that no webhook delivered', async () => {
  await using resources = new AsyncDisposableStack();
  const settings = { RECONCILE_INTERVAL_SECONDS: '1', RECONCILE_GRACE_SECONDS: '0' };
  const { connect, list, processor, projectId, published, start } = await setUp(resources, settings);
  await start();
  const credentials = newCredentials();
  await connect(credentials);
  const stripe = stripeClient(credentials.secretKey, processor.url);
  // Nothing listens there: what is posted stays undelivered.
  await stripe.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', enabled_events: ['*'] });
  const { id } = await stripe.customers.create({ email: 'ada@example.com', metadata: { projectId } });
  const found = async () => {
    const record = (await list()).find(({ objectId }) => objectId === id);
    return record?.['projectId'] === projectId && published.has(String(record['id'])) ? record : undefined;
  };
  const record = await waitFor(found, { what: 'the event to be recovered and published' });
  expect(record).toMatchObject({ recovered: true, type: 'customer.created' });
});

it('names what is missing in its environment, and does not start', async () => {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(output).toMatch(/webhooks: Environment: .*CREDENTIALS_KEYS is missing.*PUBLIC_URL is missing/);
});
