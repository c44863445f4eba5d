import { ListLiveRecords, SYNC_OWNERS } from '@billing/contracts/rpc/syncs';
import { saveObjects, type ObjectDecision } from './object-rows.ts';
import type { Step, StepParts } from './step.ts';

/** Records of one step. */
const LIMIT = 100;

/**
 * Goes through the project's live records. Those that were in no page are suspects: the processor does not have them, or
 * they were made meanwhile.
 */
export function findExtras({ em, rpc, now }: Pick<StepParts, 'em' | 'rpc' | 'now'>): Step {
  return async (sync, { type, after }) => {
    const { teamId, projectId } = sync;
    const request = { teamId, projectId, type, after, limit: LIMIT };
    const { records, next } = await rpc.call(ListLiveRecords[SYNC_OWNERS[type]], request);
    const unread = records.map(({ id: recordId, processorId }): ObjectDecision => {
      // Two readings that say `extra` follow, as of all that differs.
      const undecided = { outcome: 'same', fields: [], reason: null, checks: 0 } as const;
      return { ...undecided, object: { id: processorId }, state: 'suspect', recordId, readAt: now() };
    });
    await saveObjects(em.fork(), sync, type, unread, { existing: 'kept', recheckMs: 0 });
    return next === null ? 'done' : { after: next };
  };
}
