import { consumersOf, type EventConsumer } from '@billing/contracts/event-consumers';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { publicationId } from '@billing/messaging/event-id';
import type { Client } from 'pg';

/** How long the stream holds an event, and so how old one may be that a consumer has not handled. */
const MAX_AGE = `interval '7 days'`;
/** Webhook events that are looked through at once. */
const PAGE = 1_000;

/** How many events will be published again. */
export interface Republished {
  /** With those that share a message with one that was not handled. */
  readonly outboxEvents: number;
  readonly webhookEvents: number;
}

/**
 * Makes every event due again that was published and that one of its consumers has not handled, as far as it is still
 * stored: in the outboxes those of three days, and webhook events with their payload. `asOf` is the time of the data.
 * Services may run meanwhile; what is published twice is dropped by deduplication.
 */
export async function republishUnhandled(client: Client, asOf: Date): Promise<Republished> {
  let outboxEvents = 0;
  for (const service of SERVICES) outboxEvents += await republishOutbox(client, service);
  const unfinished = await republishUnfinished(client);
  return { outboxEvents, webhookEvents: unfinished + (await republishFinished(client, asOf)) };
}

/** Messages of a service's outbox with an event that any consumer has neither handled nor given up; returns their events. */
async function republishOutbox(client: Client, publisher: ServiceName): Promise<number> {
  const consumers = consumersOf(publisher);
  if (consumers.length === 0) return 0;
  const isUnhandled = consumers.map(
    (consumer, index) => `(o.type = any($${index + 1}::text[]) and not ${isHandledBy(client, consumer, 'e.id')})`,
  );
  const { rows } = await client.query<{ events: number }>(
    `update ${client.escapeIdentifier(publisher)}.outbox_messages o
        set published_at = null, due_at = clock_timestamp(), lease_id = null
      where o.published_at is not null and exists (
        select from json_to_recordset(o.body::json) as e(id uuid) where ${isUnhandled.join(' or ')})
      returning events`,
    consumers.map(({ types }) => types),
  );
  return rows.reduce((sum, { events }) => sum + events, 0);
}

/** Webhook events that were published and whose outcome has not come back. */
async function republishUnfinished(client: Client): Promise<number> {
  const { rowCount } = await client.query(
    `update webhooks.webhook_events set due_at = clock_timestamp()
      where status = 'received' and due_at is null and waiting_for is null`,
  );
  return rowCount ?? 0;
}

interface FinishedRow {
  readonly team_id: string;
  readonly id: string;
  readonly type: string;
  readonly replays: number;
  readonly routed_to: readonly string[];
  readonly processor_created_at: Date;
}

/**
 * Webhook events whose owner has reported the outcome, while another consumer has not handled them. They are published
 * under the same ids, so that nothing about them changes but what was missing.
 */
async function republishFinished(client: Client, asOf: Date): Promise<number> {
  const consumersOfType = Map.groupBy(
    consumersOf('webhooks').flatMap(consumer => consumer.types.map(type => ({ type, consumer }))),
    ({ type }) => type,
  );
  const shared = [...consumersOfType].filter(([type, of]) => type.startsWith('processor.') && of.length > 1);
  let count = 0;
  for (const [eventType, of] of shared) {
    const type = eventType.replace(/^processor\./, '').replace(/\.v1$/, '');
    let after = ['', ''];
    for (;;) {
      const { rows } = await client.query<FinishedRow>(
        `select team_id, id, type, replays, routed_to, processor_created_at from webhooks.webhook_events
          where type = $1 and (team_id, id) > ($2, $3) and status <> 'received' and routed_to <> '{}'
            and payload is not null and processed_at > $4::timestamptz - ${MAX_AGE}
          order by team_id, id limit ${PAGE}`,
        [type, ...after, asOf],
      );
      const last = rows.at(-1);
      if (!last) break;
      after = [last.team_id, last.id];
      const consumers = of.map(({ consumer }) => consumer);
      count += await republishMissing(client, rows, consumers);
    }
  }
  return count;
}

async function republishMissing(
  client: Client,
  rows: readonly FinishedRow[],
  consumers: readonly EventConsumer[],
): Promise<number> {
  const publications = rows.flatMap(row => {
    const { team_id: teamId, id: eventId, replays, routed_to: projects, processor_created_at: createdAt } = row;
    return projects.map(projectId => ({
      teamId,
      eventId,
      id: publicationId({ teamId, eventId, projectId, replays, createdAt }),
    }));
  });
  const isUnhandled = consumers.map(consumer => `not ${isHandledBy(client, consumer, 'p.id')}`);
  const { rowCount } = await client.query(
    `update webhooks.webhook_events e set awaiting = e.routed_to, due_at = clock_timestamp()
      where (e.team_id, e.id) in (
        select p."teamId", p."eventId" from json_to_recordset($1::json) as p("teamId" text, "eventId" text, id uuid)
         where ${isUnhandled.join(' or ')})`,
    [JSON.stringify(publications)],
  );
  return rowCount ?? 0;
}

/** Whether a consumer has handled the event, or has stored it as a dead letter. */
function isHandledBy(client: Client, { service, name }: EventConsumer, id: string): string {
  const schema = client.escapeIdentifier(service);
  const consumer = client.escapeLiteral(name);
  return `(exists (select from ${schema}.processed_events m where m.consumer = ${consumer} and m.event_id = ${id})
           or exists (select from ${schema}.dead_letters d
                       where d.consumer = ${consumer} and d.event_id = ${id} and d.dead_lettered_at is not null))`;
}
