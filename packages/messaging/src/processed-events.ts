import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { RETENTION_MS } from './bus.ts';
import { lowestEventId } from './event-id.ts';

const ProcessedEventSchema = defineEntity({
  name: 'ProcessedEvent',
  tableName: 'processed_events',
  properties: {
    eventId: p.uuid().primary(),
    consumer: p.text().primary(),
    processedAt: p.datetime(),
  },
});

/** The mark of an event that a consumer has processed. */
export class ProcessedEvent extends ProcessedEventSchema.class {}
ProcessedEventSchema.setClass(ProcessedEvent);

/** Marks events as processed in the caller's transaction, and returns those that were not marked before. */
export async function markProcessed(
  tx: EntityManager,
  consumer: string,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  // Copies of a consumer that mark the same events wait for each other in the same order.
  const sorted = [...new Set(eventIds)].toSorted();
  const marked = await executeBound<{ event_id: string }>(
    tx,
    `insert into processed_events (consumer, event_id, processed_at)
     select $1, id, clock_timestamp() from unnest($2::uuid[]) as id on conflict do nothing returning event_id`,
    [consumer, sorted],
  );
  return new Set(marked.map(row => row.event_id));
}

/** Deletes marks that were made in the same transaction. */
export async function unmarkProcessed(tx: EntityManager, consumer: string, eventIds: readonly string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await executeBound(tx, `delete from processed_events where consumer = $1 and event_id = any($2::uuid[])`, [
    consumer,
    eventIds,
  ]);
}

/** In milliseconds: twice as old as the oldest event of the stream. */
const KEPT_MS = 2 * RETENTION_MS;

/** Deletes up to `limit` marks that are older than any event can come again; returns whether there may be more. */
export async function deleteProcessed(em: EntityManager, now: Date, limit = 5_000): Promise<boolean> {
  const before = new Date(now.getTime() - KEPT_MS);
  // The mark of an old event may be young: of one that was fetched or replayed later.
  const deleted = await executeBound(
    em.fork(),
    `delete from processed_events where ctid = any(array(
       select ctid from processed_events where event_id < $1::uuid and processed_at < $2::timestamptz
        order by event_id limit $3))
     returning 1`,
    [lowestEventId(before), before, limit],
  );
  return deleted.length === limit;
}
