import type { EntityManager } from '@mikro-orm/postgresql';
import { metrics } from '@opentelemetry/api';
import { SyncApplied } from '@billing/contracts/events/webhooks';
import type { FindingType, SyncCounts } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import { ENDED } from '@billing/processor/turns';
import { countBytes, ROW_BYTES } from '../stored-bytes.ts';
import { OBJECT_CHANGE } from './object-rows.ts';
import { Sync } from './sync.entity.ts';
import { updateHeld, type LeasedSync } from './lease-syncs.ts';

/** How long findings are stored; the counts of a sync stay with it. */
const FINDINGS_DAYS = 30;
/** How long the document of a comparison is stored after it: as long as its report can be applied. */
const DOCUMENT_HOURS = 24;
/** Syncs of one run. */
const LIMIT = 100;

/** The objects of a sync by type and outcome. */
export type CountsByType = Partial<Record<FindingType, SyncCounts>>;

interface CountedSync extends Pick<LeasedSync, 'id'> {
  readonly types: readonly FindingType[];
}

const NONE: SyncCounts = { same: 0, missing: 0, different: 0, extra: 0, conflict: 0, skipped: 0, applied: 0 };

/** Counts the objects that a sync has decided on, of every type that it was to compare. */
export async function countObjects(em: EntityManager, { id, types }: CountedSync): Promise<CountsByType> {
  const rows = await executeBound<{ type: FindingType; outcome: keyof SyncCounts; count: number; applied: number }>(
    em,
    `select type, outcome, count(*)::int as count, (count(*) filter (where applied))::int as applied
       from sync_objects where sync_id = $1 group by type, outcome`,
    [id],
  );
  const counts: CountsByType = {};
  for (const type of types) counts[type] = { ...NONE };
  for (const { type, outcome, count, applied } of rows) {
    const ofType = (counts[type] ??= { ...NONE });
    ofType[outcome] += count;
    ofType.applied += applied;
  }
  return counts;
}

/** Saves the counts of a sync that has ended, in the caller's transaction, and deletes everything but its findings. */
async function keepFindings(tx: EntityManager, sync: CountedSync): Promise<CountsByType> {
  const counts = await countObjects(tx, sync);
  await executeBound(
    tx,
    `with saved as (update syncs set counts = $2::jsonb where id = $1),
     deleted as (
       delete from sync_objects where sync_id = $1 and (outcome = 'same' or state = 'suspect') returning ${OBJECT_CHANGE}),
     kept as (
       update sync_objects set object = null
        where sync_id = $1 and object is not null and outcome <> 'same' and state <> 'suspect' returning ${OBJECT_CHANGE})
     ${countBytes('(select * from deleted union all select * from kept) changed')}`,
    [sync.id, JSON.stringify(counts)],
  );
  return counts;
}

/** Completes a sync. One that recorded objects which the project did not have is published. */
export function completeSync(outbox: Outbox) {
  const findings = metrics.getMeter('@billing/webhooks').createCounter('billing.sync.findings', {
    description: 'Objects of completed syncs by type and outcome, without those that are equal.',
  });
  return async (sync: LeasedSync): Promise<void> => {
    const { kind, mode, teamId, projectId } = sync;
    const startedAt = new Date(sync.startedMs);
    const counts = await outbox.transaction(async (tx, publish) => {
      if (!(await updateHeld(tx, sync, `status = 'completed', ${ENDED}`, []))) return {};
      const counted = await keepFindings(tx, sync);
      const hasNew =
        kind === 'account' && Object.values(counted).some(({ missing, applied }) => missing > 0 && applied > 0);
      if (hasNew) publish(SyncApplied, teamId, { projectId, at: startedAt });
      return counted;
    });
    for (const [type, { same: _same, applied: _applied, ...outcomes }] of Object.entries(counts))
      for (const [outcome, count] of Object.entries(outcomes)) findings.add(count, { type, outcome, mode });
  };
}

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
    `with deleted as (
       delete from webhook_events e using syncs s
        where e.sync_id is not null and e.sync_id = s.id and e.status <> 'received' and s.finished_at is not null
       returning e.team_id, 'syncs' as store, -(${ROW_BYTES.webhook_events} + e.payload_bytes) as bytes)
     ${countBytes('deleted')}`,
  );
  await em.fork().execute(
    `with old as (
       select r.sync_id, octet_length(r.document::text) as bytes
         from catalog_runs r join syncs s on s.id = r.sync_id
        where r.document is not null and s.finished_at < clock_timestamp() - make_interval(hours => ${DOCUMENT_HOURS})),
     emptied as (
       update catalog_runs r set document = null from old where r.sync_id = old.sync_id and r.document is not null
       returning r.team_id, 'syncs' as store, -old.bytes as bytes)
     ${countBytes('emptied')}`,
  );
  await em.fork().execute(
    `with deleted as (
       delete from sync_objects where sync_id in (
         select id from syncs where finished_at < clock_timestamp() - make_interval(days => ${FINDINGS_DAYS}))
       returning ${OBJECT_CHANGE})
     ${countBytes('deleted')}`,
  );
}
