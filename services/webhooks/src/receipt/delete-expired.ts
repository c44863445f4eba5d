import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { FOREIGN } from '#pipeline/unrouted.rules';
import { deletedPayloads, deletedRecords, IS_FAILED, REPEATABLE_DAYS } from '../stored-bytes.ts';

/** Several short statements instead of one that locks many rows. */
const MAX_BATCHES = 100;

/** How long the payloads of events are stored that belong to nobody here. */
const FOREIGN_DAYS = 7;

/** How long records of events are stored whose payload is gone, in days; those of ignored ones only while Stripe may repeat them. */
const RECORD_DAYS = 90;

interface Retention {
  /** Of events that did not fail. */
  readonly days: number;
  /** Rows per statement. */
  readonly batchSize?: number;
}

/**
 * Deletes the payloads of events that were received so many days ago and did not fail, those of foreign events after seven days;
 * later the records without a payload. Totals still count these, and the newest raw objects stay in the team's schema. Failed
 * events keep their payload, so that they can be replayed.
 */
export async function deleteOldEvents(em: EntityManager, { days, batchSize = 1_000 }: Retention): Promise<void> {
  const handled = `payload is not null and status <> 'received' and sync_id is null and ${IS_FAILED} = 0`;
  await deleteOlder(em, deletedPayloads, handled, { days, batchSize });
  const foreign = `payload is not null and error = '${FOREIGN}'`;
  await deleteOlder(em, deletedPayloads, foreign, { days: Math.min(days, FOREIGN_DAYS), batchSize });
  await deleteOlder(em, deletedRecords, `payload is null and status = 'ignored'`, { days: REPEATABLE_DAYS, batchSize });
  await deleteOlder(em, deletedRecords, `payload is null and status in ('processed', 'failed')`, {
    days: RECORD_DAYS,
    batchSize,
  });
}

async function deleteOlder(
  em: EntityManager,
  deleted: (rows: string) => string,
  which: string,
  { days, batchSize }: Required<Retention>,
): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const [row] = await executeBound<{ count: number }>(
      em.fork(),
      `with ${deleted(`
         select ctid from webhook_events where received_at < now() - make_interval(days => $1) and ${which}
          limit $2 for update skip locked`)}
       select count(*)::int as count from deleted`,
      [days, batchSize],
      { isDynamic: true },
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

/**
 * Deletes rows that are used no more: replaced secrets, recoveries that have ended, results of look-ups, counts of refused
 * signatures.
 */
export async function deleteExpired(em: EntityManager): Promise<void> {
  for (const statement of EXPIRED) await em.fork().execute(statement);
}
