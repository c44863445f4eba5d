import { startLeaseLoop } from '@billing/database/lease-loop';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import type { Logger } from 'pino';
import { RECORD_COLUMNS, type RecordRow } from '#persistence/record-row.ts';
import { publishChanges } from '#pipeline/publish-changes.ts';

const BATCH_SIZE = 1_000;
const INTERVAL_MS = 1_000;

/**
 * Publishes the records of events that were routed a while ago and are not complete yet, so that statistics count them.
 * Most events complete at once and are published once, complete. Returns a function that stops it.
 */
export function startPendingReports({ outbox, logger }: { outbox: Outbox; logger: Logger }): () => Promise<void> {
  const loop = startLeaseLoop({
    name: 'pending-webhook-events',
    batchSize: BATCH_SIZE,
    lease: limit => reportPending(outbox, limit),
    work: async () => undefined,
    intervalMs: INTERVAL_MS,
    logger,
  });
  return loop.stop;
}

/** Publishes up to `limit` pending records, the longest pending first. Copies never publish the same ones. */
function reportPending(outbox: Outbox, limit: number): Promise<readonly RecordRow[]> {
  return outbox.transaction(async (tx, publish) => {
    const rows = await executeBound<RecordRow>(
      tx,
      `update webhook_events e set pending_report_at = null
        where (e.team_id, e.id) in (
          select team_id, id from webhook_events where pending_report_at <= clock_timestamp()
           order by pending_report_at limit $1 for update skip locked)
        returning ${RECORD_COLUMNS}`,
      [limit],
    );
    publishChanges(rows, publish);
    return rows;
  });
}
