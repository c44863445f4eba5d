import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';

const ProcessedEventSchema = defineEntity({
  name: 'ProcessedEvent',
  tableName: 'processed_events',
  properties: {
    consumer: p.text().primary(),
    eventId: p.uuid().primary(),
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

/** Deletes marks that are twice as old as the oldest event of the stream. */
export async function deleteProcessed(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from processed_events where (consumer, event_id) in (
       select consumer, event_id from processed_events where processed_at < now() - interval '14 days' limit ?)`,
    [batchSize],
  );
}
