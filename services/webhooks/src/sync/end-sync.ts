import type { EntityManager } from '@mikro-orm/postgresql';
import { metrics } from '@opentelemetry/api';
import { SyncApplied } from '@billing/contracts/events/webhooks';
import type { SyncId } from '@billing/contracts/ids';
import type { SyncCounts, SyncType } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import { updateHeld, type LeasedSync } from './lease-syncs.ts';

/** The objects of a sync by type and outcome. */
export type CountsByType = Partial<Record<SyncType, SyncCounts>>;

/** Counts the objects that a sync has decided on. */
export async function countOutcomes(em: EntityManager, syncId: SyncId): Promise<CountsByType> {
  const rows = await executeBound<{ type: SyncType; outcome: keyof SyncCounts; count: number; applied: number }>(
    em,
    `select type, outcome, count(*)::int as count, (count(*) filter (where applied))::int as applied
       from sync_objects where sync_id = $1 group by type, outcome`,
    [syncId],
  );
  const counts: CountsByType = {};
  for (const { type, outcome, count, applied } of rows) {
    const ofType = (counts[type] ??= {
      same: 0,
      missing: 0,
      different: 0,
      extra: 0,
      conflict: 0,
      skipped: 0,
      applied: 0,
    });
    ofType[outcome] += count;
    ofType.applied += applied;
  }
  return counts;
}

/**
 * Completes a sync: its counts and findings stay, what was equal is deleted. One that recorded objects which the project
 * did not have is published.
 */
export function endSync(outbox: Outbox) {
  const findings = metrics.getMeter('@billing/webhooks').createCounter('billing.sync.findings', {
    description: 'Objects of completed syncs by type and outcome, without those that are equal.',
  });
  return async (sync: LeasedSync): Promise<void> => {
    const { id, mode, teamId, projectId, startedAt } = sync;
    const counts = await outbox.transaction(async (tx, publish) => {
      const counted = await countOutcomes(tx, id);
      const set = `status = 'completed', counts = $3::jsonb, finished_at = clock_timestamp(), due_at = null, lease_id = null`;
      if (!(await updateHeld(tx, sync, set, [JSON.stringify(counted)]))) return null;
      await executeBound(tx, `delete from sync_objects where sync_id = $1 and outcome = 'same'`, [id]);
      const hasNew = Object.values(counted).some(({ missing, applied }) => missing > 0 && applied > 0);
      if (mode === 'apply' && hasNew) publish(SyncApplied, teamId, { projectId, at: startedAt });
      return counted;
    });
    for (const [type, { same: _same, applied: _applied, ...outcomes }] of Object.entries(counts ?? {}))
      for (const [outcome, count] of Object.entries(outcomes)) findings.add(count, { type, outcome, mode });
  };
}
