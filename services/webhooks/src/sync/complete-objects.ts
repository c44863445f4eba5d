import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { Completion } from '#domain/completion.ts';

/**
 * Records, in the caller's transaction, how the owning services handled what syncs published. Reports may repeat and come
 * late; those of other events are left alone.
 */
export async function completeObjects(tx: EntityManager, completions: readonly Completion[]): Promise<void> {
  const rows = completions.flatMap(({ teamId, eventId, outcome, error }) => {
    const [, syncId, type, processorId] = /^(sync_\w+):(\w+):(.+)$/.exec(eventId) ?? [];
    return syncId
      ? [{ syncId, type, processorId, teamId, error: outcome === 'failed' ? (error ?? 'failed') : null }]
      : [];
  });
  if (rows.length === 0) return;
  await executeBound(
    tx,
    `update sync_objects o set state = 'handled', reason = c.error
       from (select * from json_to_recordset($1::json) as
               c("syncId" text, type text, "processorId" text, "teamId" text, error text)) c
      where o.sync_id = c."syncId" and o.type = c.type and o.processor_id = c."processorId" and o.team_id = c."teamId"
        and o.state = 'sent'`,
    [JSON.stringify(rows)],
  );
}
