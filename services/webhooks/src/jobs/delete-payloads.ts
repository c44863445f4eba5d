import type { EntityManager } from '@mikro-orm/postgresql';

/** Several short statements instead of one that locks many rows. */
const MAX_BATCHES = 100;

interface Retention {
  readonly days: number;
  /** Rows per statement. */
  readonly batchSize?: number;
}

/**
 * Deletes the payloads of events that were received so many days ago and did not fail. Their records stay, and so do the
 * newest raw objects in the team's schema. Failed events keep their payload, so that they can be replayed.
 */
export async function deletePayloads(em: EntityManager, { days, batchSize = 1_000 }: Retention): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const rows = await em.fork().execute<unknown[]>(
      `update webhook_events set payload = null
        where (team_id, id) in (
          select team_id, id from webhook_events
           where received_at < clock_timestamp() - make_interval(days => ?) and payload is not null
             and status in ('processed', 'ignored')
           order by received_at limit ? for update skip locked)
        returning 1`,
      [days, batchSize],
    );
    if (rows.length < batchSize) return;
  }
}
