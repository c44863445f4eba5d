import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { startLocalProcessor } from '@billing/local-processor/server';
import { stripeClient } from '@billing/processor/stripe-client';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { testNatsUrl } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { aCustomer, anEvent, newCredentials, sign } from './service.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // a server on TCP has a port
  server.close();
  await once(server, 'close');
  return port;
}

/** What the process needs around it, and how to start it. */
async function surroundings(resources: AsyncDisposableStack, settings: Record<string, string> = {}) {
  const testDatabase = resources.use(await createTestDatabase('webhooks'));
  const admin = new Client({ connectionString: testDatabase.adminUrl });
  await admin.connect();
  resources.defer(() => admin.end());
  const processor = resources.adopt(await startLocalProcessor(), running => running.close());
  const identity = testIdentity('webhooks');
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env['PATH'],
    PORT: `${port}`,
    DATABASE_URL: testDatabase.url,
    NATS_URL: testNatsUrl(),
    LOG_LEVEL: 'warn',
    IDENTITY_PUBLIC_KEY: Buffer.from(identity.publicKey).toString('base64'),
    STRIPE_API_BASE_URL: processor.url,
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    PUBLIC_URL: 'https://billing.example.com',
    ...settings,
  };
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [MAIN], { env, stdio: 'inherit' });
    resources.defer(() => void child.kill('SIGKILL'));
    await waitFor(async () => (await fetch(`${base}/health/ready`)).ok, { what: 'the service', timeoutMs: 60_000 });
    return child;
  };
  const [teamId, projectId] = [TeamId.create(), ProjectId.create()];
  const headers = { 'content-type': 'application/json' };
  /** Connects the team, whose project the service knows of. */
  const connect = async (credentials: object): Promise<void> => {
    const connected = await fetch(`${base}/api/service/teams/${teamId}/processor/connect`, {
      method: 'POST',
      headers: { ...headers, ...identity.asUser({ teamId }) },
      body: JSON.stringify(credentials),
    });
    expect(connected.status).toBe(200);
    await admin.query('insert into webhooks.known_projects values ($1, $2)', [teamId, projectId]);
  };
  return { admin, base, connect, headers, identity, processor, projectId, start, teamId };
}

it('keeps and tells every event it said it had received, though it is killed in the middle', async () => {
  await using resources = new AsyncDisposableStack();
  const { admin, base, connect, headers, identity, projectId, start, teamId } = await surroundings(resources);
  const first = await start();
  const credentials = newCredentials();
  await connect(credentials);

  const received: string[] = [];
  const send = async () => {
    const event = anEvent('customer.updated', aCustomer(projectId));
    const body = JSON.stringify(event);
    const signed = { ...headers, ...identity.anonymous(), 'stripe-signature': sign(body, credentials.webhookSecret) };
    const url = `${base}/api/webhooks/processor/${teamId}`;
    const answer = await fetch(url, { method: 'POST', headers: signed, body }).catch(() => undefined);
    if (answer?.ok) received.push(event.id);
  };
  const sending = Array.from({ length: 8 }, async () => {
    for (let count = 0; count < 40; count += 1) await send();
  });
  await waitFor(() => received.length > 60, { what: 'some events to be received', timeoutMs: 30_000 });
  first.kill('SIGKILL');
  await Promise.all(sending);
  expect(received.length).toBeLessThan(320);

  await start();
  const facts = await waitFor(
    async () => {
      const { rows } = await admin.query(
        `select data->>'eventId' as id, count(*)::int as count from webhooks.outbox_events
          where type = 'processor.customer.updated.v1' and published_at is not null group by 1`,
      );
      const told = new Map(rows.map(row => [String(row.id), Number(row.count)]));
      return received.every(id => told.has(id)) ? told : undefined;
    },
    { what: 'every received event to be told', timeoutMs: 60_000, intervalMs: 100 },
  );
  expect(received.filter(id => facts.get(id) !== 1)).toEqual([]);
}, 240_000);

it('finds by itself what no webhook brought', async () => {
  await using resources = new AsyncDisposableStack();
  const settings = { HEALING_INTERVAL_SECONDS: '1', HEALING_GRACE_SECONDS: '0' };
  const { admin, connect, processor, projectId, start } = await surroundings(resources, settings);
  await start();
  const credentials = newCredentials();
  await connect(credentials);
  const stripe = stripeClient(credentials.secretKey, processor.url);
  // Nobody listens there: what is posted stays undelivered.
  await stripe.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', enabled_events: ['*'] });
  const { id } = await stripe.customers.create({ email: 'ada@example.com', metadata: { projectId } });
  const recovered = async () => {
    const { rows } = await admin.query(
      `select e.recovered, o.published_at from webhooks.webhook_events e
        join webhooks.outbox_events o on o.data->>'eventId' = e.id where e.object_id = $1`,
      [id],
    );
    return rows.length > 0 && rows[0].published_at ? rows : undefined;
  };
  expect(await waitFor(recovered, { what: 'the event to be found and told', timeoutMs: 60_000 })).toMatchObject([
    { recovered: true },
  ]);
}, 240_000);

it('says what is missing and does not start', async () => {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(said).toMatch(/webhooks: Environment: .*CREDENTIALS_KEY is missing.*PUBLIC_URL is missing/);
});
