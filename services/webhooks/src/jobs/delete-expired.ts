import type { EntityManager } from '@mikro-orm/postgresql';
import { FOREIGN } from '#domain/unrouted.ts';
import { takeFromTotals } from '#persistence/payload-totals.ts';

/** Several short statements instead of one that locks many rows. */
const MAX_BATCHES = 100;

/** How long the payloads of events are stored that belong to nobody here. */
const FOREIGN_DAYS = 7;

interface Retention {
  /** Of events that did not fail. */
  readonly days: number;
  /** Rows per statement. */
  readonly batchSize?: number;
}

/**
 * Deletes the payloads of events that were received so many days ago and did not fail; those of foreign events after seven
 * days. Their records stay, and so do the newest raw objects in the team's schema. Failed events keep their payload, so
 * that they can be replayed.
 */
export async function deletePayloads(em: EntityManager, { days, batchSize = 1_000 }: Retention): Promise<void> {
  await deleteOlder(em, `status in ('processed', 'ignored')`, { days, batchSize });
  await deleteOlder(em, `error = '${FOREIGN}'`, { days: Math.min(days, FOREIGN_DAYS), batchSize });
}

/** What has no payload any more can't be processed, and waits for nothing. */
async function deleteOlder(em: EntityManager, which: string, { days, batchSize }: Required<Retention>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const [row] = await em.fork().execute<{ count: number }[]>(
      `with deleted as (
         update webhook_events set payload = null, waiting_for = null
          where (team_id, id) in (
            select team_id, id from webhook_events
             where received_at < clock_timestamp() - make_interval(days => ?) and payload is not null and ${which}
             order by received_at limit ? for update skip locked)
         returning team_id, payload_bytes, sync_id),
       counted as (${takeFromTotals('deleted')})
       select count(*)::int as count from deleted`,
      [days, batchSize],
    );
    if ((row?.count ?? 0) < batchSize) return;
  }
}

const EXPIRED = [
  // Replaced signing secrets, which are accepted for 24 hours more.
  `delete from signing_secrets where valid_until <= clock_timestamp()`,
  // Replaced secrets of endpoints, a day after they have stopped to sign: a repeated request gets the same one.
  `delete from endpoint_secrets where expires_at < clock_timestamp() - interval '1 day'`,
  // Nobody asks for a recovery that has ended; a repeated request does, for a day.
  `delete from recoveries where finished_at < clock_timestamp() - interval '2 days'`,
  `delete from customer_look_ups where valid_until < clock_timestamp()`,
  // Nobody looks at counts of more than an hour ago.
  `delete from refused_signatures where minute < clock_timestamp() - interval '2 hours'`,
];

/** Deletes rows that are used no more: replaced secrets, recoveries that have ended, results of look-ups, counts of refused signatures. */
export async function deleteExpired(em: EntityManager): Promise<void> {
  for (const statement of EXPIRED) await em.fork().execute(statement);
}
