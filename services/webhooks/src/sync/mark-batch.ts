import { executeBound } from '@billing/database/bound-statement';
import { isMissing } from '@billing/processor/errors';
import type { MarkedType } from '@billing/processor/port';
import type { LeasedSync } from './lease-syncs.ts';
import type { Step, StepParts } from './step.ts';

/** Objects of one step; each costs a request. */
const BATCH = 20;

/** Writes the ids of records into the metadata of their objects, where it does not name the project yet. */
export function markBatch({ em, processors, pace }: Pick<StepParts, 'em' | 'processors' | 'pace'>): Step {
  return async (sync, { type }) => {
    if (type === 'invoice') return { next: 'done' };
    const rows = await executeBound<{ processor_id: string; record_id: string }>(
      em.fork(),
      `select processor_id, record_id from sync_objects
        where sync_id = $1 and type = $2 and state = 'done' and not is_marked and record_id is not null
          and (outcome = 'same' or outcome in ('missing', 'different') and applied)
        order by processor_id limit ${BATCH}`,
      [sync.id, type],
    );
    if (rows.length === 0) return { next: 'done' };
    const processor = await processors.of(sync.teamId);
    for (const { processor_id: id, record_id: recordId } of rows) {
      await pace();
      const marked = processor.addMetadata(type, id, marksOf(sync, type, recordId), `${sync.id}:mark:${id}`);
      await marked.catch((err: unknown) => {
        if (!isMissing(err)) throw err; // deleted meanwhile
      });
      await executeBound(
        em.fork(),
        `update sync_objects set is_marked = true where sync_id = $1 and type = $2 and processor_id = $3`,
        [sync.id, type, id],
      );
    }
    return { next: 'again' };
  };
}

function marksOf({ teamId, projectId }: LeasedSync, type: MarkedType, recordId: string): Record<string, string> {
  const own = type === 'customer' ? { customerId: recordId } : type === 'price' ? { priceId: recordId } : {};
  return { teamId, projectId, ...own };
}
