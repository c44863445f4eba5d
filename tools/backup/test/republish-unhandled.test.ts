import { randomUUID } from 'node:crypto';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { migrate } from '@billing/database/database';
import { publicationId } from '@billing/messaging/event-id';
import { openServiceDatabase } from '@billing/service/service-database';
import { createTestDatabase } from '@billing/testing/database';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { webhooksSchema } from '../../../services/webhooks/src/schema.ts';
import { republishUnhandled } from '../src/republish-unhandled.ts';

const CONSUMERS_OF_CUSTOMERS = [
  ['subscriptions', 'subscriptions-customers'],
  ['subscriptions', 'subscriptions-customer-discounts'],
  ['referrals', 'referrals-customers'],
  ['analytics', 'analytics-customers'],
  ['webhooks', 'webhooks-customers'],
  ['webhooks', 'webhooks-records'],
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
      `truncate ${service}.outbox_messages, ${service}.processed_events, ${service}.dead_letters, webhooks.webhook_events`,
    );
});

/** Stores a message that was published, with events of these ids. */
async function publishedMessage(service: ServiceName, type: string, ...ids: readonly string[]): Promise<void> {
  await client.query(
    `insert into ${service}.outbox_messages (id, type, team_id, body, events, trace, created_at, published_at)
     values ($1, $2, $3, $4, $5, '{}', now(), now())`,
    [ids[0], type, TEAM, JSON.stringify(ids.map(id => ({ id }))), ids.length],
  );
}

const handledBy = (service: string, consumer: string, id: string) =>
  client.query(`insert into ${service}.processed_events (consumer, event_id, processed_at) values ($1, $2, now())`, [
    consumer,
    id,
  ]);

const dueIn = async (table: string): Promise<string[]> =>
  (await client.query<{ id: string }>(`select id from ${table} where due_at is not null`)).rows.map(({ id }) => id);

it('publishes each message again of which a consumer has not handled an event, and nothing else', async () => {
  const [everywhere, beside, nowhere, givenUp, toAnalytics] = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
  ];
  await publishedMessage('customers', 'record.customer.created.v1', everywhere);
  await publishedMessage('customers', 'record.customer.updated.v1', nowhere);
  await publishedMessage('customers', 'record.customer.updated.v1', givenUp);
  await publishedMessage('customers', 'record.customer.created.v1', beside, toAnalytics);
  for (const [service, consumer] of CONSUMERS_OF_CUSTOMERS) {
    for (const id of [everywhere, beside]) await handledBy(service, consumer, id);
    if (service !== 'analytics') for (const id of [givenUp, toAnalytics]) await handledBy(service, consumer, id);
  }
  await client.query(
    `insert into analytics.dead_letters (consumer, event_id, type, team_id, event, attempts, error, failed_at, dead_lettered_at)
     values ('analytics-customers', $1, 'record.customer.updated.v1', $2, '{}', 8, 'x', now(), now())`,
    [givenUp, TEAM],
  );
  expect(await republishUnhandled(client, new Date())).toEqual({ outboxEvents: 3, webhookEvents: 0 });
  expect((await dueIn('customers.outbox_messages')).toSorted()).toEqual([nowhere, beside].toSorted());
  // What is due already stays so, and counts no more.
  expect(await republishUnhandled(client, new Date())).toEqual({ outboxEvents: 0, webhookEvents: 0 });
});

async function webhookEvent(id: string, type: string, status: string, processedAt = new Date()): Promise<string> {
  const createdAt = new Date();
  await client.query(
    `insert into webhooks.webhook_events
       (team_id, id, type, livemode, payload, payload_bytes, trace, status, routed_to, awaiting, failed_in, attempts,
        routing_attempts, replays, processor_created_at, received_at, processed_at, recovered)
     values ($1, $2, $3, false, '{}', 2, '{}', $4, array[$5], '{}', '{}', 1, 1, 0, $7, now(), $6, false)`,
    [TEAM, id, type, status, PROJECT, processedAt, createdAt],
  );
  return publicationId({ teamId: TEAM, eventId: id, projectId: PROJECT, replays: 0, createdAt });
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
    `select id, status, awaiting from webhooks.webhook_events where due_at is not null`,
  );
  expect(rows).toEqual([{ id: 'evt_half', status: 'processed', awaiting: [PROJECT] }]);
});
