import type { EntityManager } from '@mikro-orm/postgresql';
import type { SyncId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { countOutcomes } from '#sync/end-sync.ts';

/** How long findings are stored; the counts of a sync stay with it. */
const FINDINGS_DAYS = 30;
/** Syncs of one run. */
const LIMIT = 100;

/**
 * Deletes what ended syncs need no more: of one that failed or was canceled what it had not found anything in, once its counts
 * are saved, and of any the findings after 30 days.
 */
export async function cleanSyncs(em: EntityManager): Promise<void> {
  const stopped = await executeBound<{ id: SyncId }>(
    em.fork(),
    `select id from syncs where status in ('failed', 'canceled') and counts is null limit ${LIMIT}`,
    [],
  );
  for (const { id } of stopped)
    await em.fork().transactional(async tx => {
      const counts = JSON.stringify(await countOutcomes(tx, id));
      await executeBound(tx, `update syncs set counts = $2::jsonb where id = $1`, [id, counts]);
      await executeBound(
        tx,
        `delete from sync_objects where sync_id = $1 and (outcome = 'same' or state = 'suspect')`,
        [id],
      );
      await executeBound(tx, `update sync_objects set object = null where sync_id = $1 and object is not null`, [id]);
    });
  await em.fork().execute(
    `delete from sync_objects where sync_id in (
       select id from syncs where finished_at < clock_timestamp() - make_interval(days => ${FINDINGS_DAYS}))`,
  );
}
