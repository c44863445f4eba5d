import type { EntityManager } from '@mikro-orm/postgresql';
import type { SyncType } from '@billing/contracts/resources/sync';
import { ListLiveRecords, SYNC_OWNERS } from '@billing/contracts/rpc/syncs';
import { executeBound } from '@billing/database/bound-statement';
import type { ListedObject } from '@billing/processor/port';
import { decideFirst } from './decide-first.ts';
import { insertExtras, insertObjects } from './object-rows.ts';
import type { LeasedSync } from './lease-syncs.ts';
import type { Step, StepParts } from './step.ts';

/** Records of one step: each that no page had costs a request. */
const PAGE = 100;

/**
 * Goes through the project's live records, and looks at the processor for those that were in no page. One that is there was
 * made meanwhile, and is compared like the others.
 */
export function findExtras(parts: Pick<StepParts, 'em' | 'rpc' | 'processors' | 'pace' | 'now' | 'recheckMs'>): Step {
  const { em, rpc, processors, pace, recheckMs } = parts;
  const decide = decideFirst(parts);
  return async (sync, { type, after }) => {
    const { teamId, projectId } = sync;
    const { records, next } = await rpc.call(ListLiveRecords[SYNC_OWNERS[type]], {
      teamId,
      projectId,
      type,
      after,
      limit: PAGE,
    });
    const unseen = await findUnseen(em, sync, type, records);
    const processor = await processors.of(teamId);
    for (const { id: recordId, processorId } of unseen) {
      await pace();
      const { object, readAt } = await processor.findListed(type, processorId);
      if (isGone(object)) await insertExtras(em.fork(), sync, type, [{ processorId, recordId, readAt }], recheckMs);
      else {
        const reading = { objects: [object], readAt };
        await insertObjects(em.fork(), sync, type, reading, await decide(sync, type, reading));
      }
    }
    return next === null ? { next: 'done' } : { next: 'again', after: next };
  };
}

/** Whether the processor has no such object, or only the stub of a deleted one. */
export const isGone = (object: ListedObject | null): object is null => object === null || object['deleted'] === true;

async function findUnseen<Listed extends { readonly processorId: string }>(
  em: EntityManager,
  { id }: LeasedSync,
  type: SyncType,
  records: readonly Listed[],
): Promise<Listed[]> {
  const rows = await executeBound<{ processor_id: string }>(
    em.fork(),
    `select processor_id from sync_objects where sync_id = $1 and type = $2 and processor_id = any($3::text[])`,
    [id, type, records.map(({ processorId }) => processorId)],
  );
  const seen = new Set(rows.map(row => row.processor_id));
  return records.filter(({ processorId }) => !seen.has(processorId));
}
