import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { compareObjects } from './decide-objects.ts';
import { nextObjects, type StoredObject } from './object-rows.ts';
import type { LeasedSync } from './lease-syncs.ts';
import type { Step, StepParts } from './step.ts';

/** Objects of one step: a few calls of the owning service, side by side. */
const BATCH = 300;

interface Verified {
  readonly processorId: string;
  readonly recordId: string | null;
  readonly applied: boolean;
  readonly reason: string | null;
}

/** Compares what the owning services have handled: only what is equal now counts as applied. */
export function verifyBatch({ em, rpc }: Pick<StepParts, 'em' | 'rpc'>): Step {
  return async (sync, { type }) => {
    const handled = await nextObjects(em, sync, type, { state: 'handled', limit: BATCH });
    if (handled.length === 0) return { next: 'done' };
    const { true: ended = [], false: changed = [] } = Object.groupBy(handled, it => `${it.object === null}`);
    const objects = changed.flatMap(({ object }) => object ?? []);
    const comparisons = await compareObjects(rpc, sync, type, objects);
    const verified = changed.map((stored, index): Verified => {
      const { processorId, reason, recordId } = stored;
      const comparison = comparisons[index];
      const applied = comparison?.outcome === 'same';
      const why = reason ?? (applied ? null : 'the record is newer, or another rule keeps it');
      return { processorId, recordId: comparison?.id ?? recordId, applied, reason: applied ? null : why };
    });
    await saveVerified(em, sync, type, [...verified, ...ended.map(toEnded)]);
    return { next: 'again' };
  };
}

/** There is no object to compare the record with. */
const toEnded = ({ processorId, recordId, reason }: StoredObject): Verified => ({
  processorId,
  recordId,
  applied: reason === null,
  reason,
});

async function saveVerified(em: EntityManager, { id }: LeasedSync, type: string, verified: readonly Verified[]) {
  await executeBound(
    em.fork(),
    `update sync_objects o
        set state = 'done', object = null, record_id = v."recordId", applied = v.applied, reason = v.reason
       from json_to_recordset($3::json) as v("processorId" text, "recordId" text, applied boolean, reason text)
      where o.sync_id = $1 and o.type = $2 and o.processor_id = v."processorId"`,
    [id, type, JSON.stringify(verified)],
  );
}
