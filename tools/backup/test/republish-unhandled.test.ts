import { randomUUID } from 'node:crypto';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { migrate } from '@billing/database/database';
import { publicationId } from '@billing/messaging/publication-id';
import { openServiceDatabase } from '@billing/service/service-database';
import { createTestDatabase } from '@billing/testing/database';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { webhooksSchema } from '../../../services/webhooks/src/persistence/schema.ts';
import { republishUnhandled } from '../src/republish-unhandled.ts';

const CONSUMERS_OF_CUSTOMERS = [
  ['subscriptions', 'subscriptions-customers'],
  ['referrals', 'referrals-customers'],
  ['analytics', 'analytics-customers'],
  ['webhooks', 'webhooks-customers'],
] as const;
const TEAM = 'team_a';
const PROJECT = 'proj_a';

let client: Client;
const resources = new AsyncDisposableStack();

beforeAll(async () => {
  const database = resources.use(await createTestDatabase('gateway'));
  for (const service of SERVICES) {
    const schema = service === 'webhooks' ? webhooksSchema : { entities: [], migrations: [] };
    const url = service === 'gateway' ? database.url : await database.provision(service);
    const opened = openServiceDatabase(service, schema, url);
    await migrate(opened);
    await opened.close();
  }
  client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  resources.defer(() => client.end());
});
afterAll(() => resources.disposeAsync());
beforeEach(async () => {
  for (const service of SERVICES)
    await client.query(
      `truncate ${service}.outbox_events, ${service}.processed_events, ${service}.dead_letters, webhooks.webhook_events`,
    );
});

async function publishedEvent(service: ServiceName, type: string): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into ${service}.outbox_events (id, type, team_id, data, data_bytes, trace, occurred_at, published_at)
     values ($1, $2, $3, '{}', 2, '{}', now(), now())`,
    [id, type, TEAM],
  );
  return id;
}

const handledBy = (service: string, consumer: string, id: string) =>
  client.query(`insert into ${service}.processed_events (consumer, event_id, processed_at) values ($1, $2, now())`, [
    consumer,
    id,
  ]);

const dueIn = async (table: string): Promise<string[]> =>
  (await client.query<{ id: string }>(`select id from ${table} where due_at is not null`)).rows.map(({ id }) => id);

it('publishes again what one of the consumers has not handled, and nothing else', async () => {
  const [everywhere, nowhere, givenUp, toAnalytics] = [
    await publishedEvent('customers', 'customer.created.v1'),
    await publishedEvent('customers', 'customer.updated.v1'),
    await publishedEvent('customers', 'customer.updated.v1'),
    await publishedEvent('customers', 'customer.created.v1'),
  ];
  for (const [service, consumer] of CONSUMERS_OF_CUSTOMERS) {
    await handledBy(service, consumer, everywhere);
    if (service !== 'analytics') for (const id of [givenUp, toAnalytics]) await handledBy(service, consumer, id);
  }
  await client.query(
    `insert into analytics.dead_letters (consumer, event_id, type, team_id, event, attempts, error, failed_at, dead_lettered_at)
     values ('analytics-customers', $1, 'customer.updated.v1', $2, '{}', 8, 'x', now(), now())`,
    [givenUp, TEAM],
  );
  expect(await republishUnhandled(client, new Date())).toEqual({ outboxEvents: 2, webhookEvents: 0 });
  expect((await dueIn('customers.outbox_events')).toSorted()).toEqual([nowhere, toAnalytics].toSorted());
  // What is due already stays so, and counts no more.
  expect(await republishUnhandled(client, new Date())).toEqual({ outboxEvents: 0, webhookEvents: 0 });
});

async function webhookEvent(id: string, type: string, status: string, processedAt = new Date()): Promise<string> {
  await client.query(
    `insert into webhooks.webhook_events
       (team_id, id, type, livemode, payload, payload_bytes, trace, status, routed_to, awaiting, failed_in, attempts,
        routing_attempts, replays, version, processor_created_at, received_at, processed_at, recovered)
     values ($1, $2, $3, false, '{}', 2, '{}', $4, array[$5], '{}', '{}', 1, 1, 0, 2, now(), now(), $6, false)`,
    [TEAM, id, type, status, PROJECT, processedAt],
  );
  return publicationId({ teamId: TEAM, eventId: id, projectId: PROJECT, replays: 0 });
}

it('publishes a webhook event again that awaits its outcome', async () => {
  await webhookEvent('evt_waiting', 'invoice.updated', 'received');
  await webhookEvent('evt_done', 'invoice.updated', 'processed');
  expect(await republishUnhandled(client, new Date())).toEqual({ outboxEvents: 0, webhookEvents: 1 });
  expect(await dueIn('webhooks.webhook_events')).toEqual(['evt_waiting']);
});

it('publishes a completed webhook event again while a second consumer has not handled it', async () => {
  const done = await webhookEvent('evt_done', 'customer.deleted', 'processed');
  const half = await webhookEvent('evt_half', 'customer.deleted', 'processed');
  await webhookEvent('evt_old', 'customer.deleted', 'processed', new Date(Date.now() - 8 * 24 * 3_600_000));
  for (const id of [done, half]) await handledBy('customers', 'customers', id);
  await handledBy('subscriptions', 'subscriptions-deleted-customers', done);
  expect(await republishUnhandled(client, new Date())).toEqual({ outboxEvents: 0, webhookEvents: 1 });
  const { rows } = await client.query(
    `select id, status, awaiting, version from webhooks.webhook_events where due_at is not null`,
  );
  expect(rows).toEqual([{ id: 'evt_half', status: 'processed', awaiting: [PROJECT], version: 2 }]);
});
