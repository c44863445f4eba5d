import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/service/bound-statement';

const ProcessedEventSchema = defineEntity({
  name: 'ProcessedEvent',
  tableName: 'processed_events',
  properties: {
    consumer: p.text().primary(),
    eventId: p.uuid().primary(),
    processedAt: p.datetime(),
  },
});

/** The mark of a fact that a consumer is done with. */
export class ProcessedEvent extends ProcessedEventSchema.class {}
ProcessedEventSchema.setClass(ProcessedEvent);

/** Marks facts as done in the caller's transaction, and answers those that were not before. */
export async function markAll(
  tx: EntityManager,
  consumer: string,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  // Copies of a consumer that mark the same facts wait for each other in the same order.
  const sorted = [...new Set(eventIds)].toSorted();
  const marked = await executeBound<{ event_id: string }>(
    tx,
    `insert into processed_events (consumer, event_id, processed_at)
     select $1, id, clock_timestamp() from unnest($2::uuid[]) as id on conflict do nothing returning event_id`,
    [consumer, sorted],
  );
  return new Set(marked.map(row => row.event_id));
}

/** Takes marks back that were made in the same transaction. */
export async function unmarkAll(tx: EntityManager, consumer: string, eventIds: readonly string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await executeBound(tx, `delete from processed_events where consumer = $1 and event_id = any($2::uuid[])`, [
    consumer,
    eventIds,
  ]);
}

/** Whether a fact is marked as done. */
export async function isMarked(em: EntityManager, consumer: string, eventId: string): Promise<boolean> {
  const rows = await em
    .fork()
    .execute<unknown[]>(`select 1 from processed_events where consumer = ? and event_id = ?`, [consumer, eventId]);
  return rows.length > 0;
}

/** Forgets which facts were done longer ago than the bus keeps them, twice over. */
export async function forgetProcessed(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from processed_events where (consumer, event_id) in (
       select consumer, event_id from processed_events where processed_at < now() - interval '14 days' limit ?)`,
    [batchSize],
  );
}
