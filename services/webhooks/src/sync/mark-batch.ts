import { executeBound } from '@billing/database/bound-statement';
import { namedProject, namedTeam, writableMarks } from '@billing/processor/metadata';
import { missingOrThrow } from '@billing/processor/errors';
import { writeMarks } from '@billing/processor/marks';
import type { MarkedType } from '@billing/processor/port';
import { compareObjects } from './decide-objects.ts';
import type { LeasedSync, Step, StepParts } from './lease-syncs.ts';
import { updateObjects } from './object-rows.ts';
import { detailsOf, gone } from './synced-objects.rules.ts';

/** Objects of one step; each costs two requests. */
const BATCH = 10;

/**
 * Writes the ids of records into the metadata of their objects, where it names no project and no other team, and where no other
 * project has a record: its owner is asked. What the tenant has under the same keys stays.
 */
export function markBatch({ em, rpc, processors, pace }: Omit<StepParts, 'onStored' | 'now' | 'recheckMs'>): Step {
  return async (sync, { type }) => {
    if (type === 'invoice' || type === 'payment') return 'done';
    const rows = await executeBound<{ id: string; recordId: string }>(
      em.fork(),
      `select processor_id as id, record_id as "recordId" from sync_objects
        where sync_id = $1 and type = $2 and state = 'done' and not is_marked and record_id is not null
          and (outcome = 'same' or outcome in ('missing', 'different') and applied)
        order by processor_id limit ${BATCH}`,
      [sync.id, type],
    );
    if (rows.length === 0) return 'done';
    const processor = await processors.of(sync.teamId);
    for (const { id, recordId } of rows) {
      await pace();
      const { object } = await processor.findListed(type, id);
      const { metadata } = detailsOf(type, object ?? gone(id));
      const isOfTeam = (namedTeam(metadata) ?? sync.teamId) === sync.teamId;
      const isUnmarked = object?.['deleted'] !== true && namedProject(metadata) === undefined && isOfTeam;
      const [compared] = object && isUnmarked ? await compareObjects(rpc, sync, type, [object]) : [];
      const isFree = compared !== undefined && compared.id === recordId && !compared.isHeldElsewhere;
      const marks = writableMarks(marksOf(sync, type, recordId), metadata);
      if (object && isFree && Object.keys(marks).length > 0) {
        await pace();
        const mark = () => processor.addMetadata(type, id, marks, `${sync.id}:mark:${id}`);
        await writeMarks(mark, async () => undefined).catch(missingOrThrow);
      }
      await updateObjects(em.fork(), sync, type, [{ processorId: id, isMarked: true }]);
    }
    return {};
  };
}

function marksOf({ teamId, projectId }: LeasedSync, type: MarkedType, recordId: string): Record<string, string> {
  const own = type === 'customer' ? { customerId: recordId } : type === 'price' ? { priceId: recordId } : {};
  return { teamId, projectId, ...own };
}
