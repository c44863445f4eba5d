import type { SyncType } from '@billing/contracts/resources/sync';
import type { ListedObject } from '@billing/processor/port';
import { afterFirstReading } from '#domain/sync-finding.ts';
import { decideObjects } from './decide-objects.ts';
import type { LeasedSync } from './lease-syncs.ts';
import type { ObjectDecision, Reading } from './object-rows.ts';
import type { StepParts } from './step.ts';
import { detailsOf } from './synced-objects.ts';

/** The event of an object that is younger may be on its way, in milliseconds. */
const RECENT_MS = 10 * 60_000;

/** Decides on objects that were just read, in their order. What differs may have changed meanwhile and is looked at again. */
export function decideFirst(parts: Pick<StepParts, 'em' | 'rpc' | 'now' | 'recheckMs'>) {
  const decideAll = decideObjects(parts);
  return async (sync: LeasedSync, type: SyncType, { objects, readAt }: Reading): Promise<ObjectDecision[]> => {
    const decided = await decideAll(sync, type, objects);
    return objects.flatMap((object, index): ObjectDecision[] => {
      const decision = decided[index];
      if (!decision) return [];
      const state = afterFirstReading(decision, { isRecent: isRecent(object, readAt, type) });
      const dueInMs = state === 'suspect' ? parts.recheckMs : undefined;
      return [{ ...decision, processorId: object.id, state, dueInMs, checks: 0 }];
    });
  };
}

function isRecent(object: ListedObject, readAt: Date, type: SyncType): boolean {
  const { createdAt } = detailsOf(type, object);
  return !createdAt || readAt.getTime() - createdAt.getTime() < RECENT_MS;
}
