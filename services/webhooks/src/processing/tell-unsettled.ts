import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/service/bound-statement';
import { RECORD_COLUMNS, type RecordRow } from '#persistence/record-row.ts';
import { recordChanges } from './record-facts.ts';

/**
 * Tells the records of up to `limit` events that were routed a while ago and have not settled since, the longest
 * waiting first; answers how many. Copies of the service that look at the same time never tell the same ones.
 */
export function tellUnsettled(em: EntityManager, limit: number): Promise<number> {
  return em.fork().transactional(async tx => {
    const rows = await executeBound<RecordRow>(
      tx,
      `update webhook_events e set tell_at = null
        where (e.team_id, e.id) in (
          select team_id, id from webhook_events where tell_at <= clock_timestamp()
           order by tell_at limit $1 for update skip locked)
        returning ${RECORD_COLUMNS}`,
      [limit],
    );
    await recordChanges(tx, rows);
    return rows.length;
  });
}
