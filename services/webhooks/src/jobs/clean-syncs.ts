import type { EntityManager } from '@mikro-orm/postgresql';
import { Sync } from '#persistence/sync.entity.ts';
import { keepFindings } from '#sync/complete-sync.ts';

/** How long findings are stored; the counts of a sync stay with it. */
const FINDINGS_DAYS = 30;
/** Syncs of one run. */
const LIMIT = 100;

/**
 * Deletes what syncs that have ended need no more: of one that failed or was canceled all but its findings, and what the pipeline
 * has completed of it since; of any the findings after 30 days.
 */
export async function cleanSyncs(em: EntityManager): Promise<void> {
  const stopped = await em
    .fork()
    .find(Sync, { status: { $in: ['failed', 'canceled'] }, counts: null }, { limit: LIMIT });
  for (const sync of stopped) await em.fork().transactional(tx => keepFindings(tx, sync));
  await em.fork().execute(
    `delete from webhook_events e using syncs s
      where e.sync_id is not null and e.sync_id = s.id and e.status <> 'received' and s.finished_at is not null`,
  );
  await em.fork().execute(
    `delete from sync_objects where sync_id in (
       select id from syncs where finished_at < clock_timestamp() - make_interval(days => ${FINDINGS_DAYS}))`,
  );
}
