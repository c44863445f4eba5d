import type { SyncType } from '@billing/contracts/resources/sync';
import { isMissing } from '@billing/processor/errors';
import { afterFirstReading } from '#domain/sync-finding.ts';
import { decideObjects } from './decide-objects.ts';
import { saveObjects } from './object-rows.ts';
import type { Step, StepParts } from './step.ts';
import { detailsOf } from './synced-objects.ts';

/** The event of an object that is younger may be on its way, in milliseconds. */
const RECENT_MS = 10 * 60_000;

/** Reads the next page of the processor's list, compares its objects with the records, and stores what is decided. */
export function readPage(parts: Pick<StepParts, 'em' | 'rpc' | 'processors' | 'pace' | 'now' | 'recheckMs'>): Step {
  const { em, processors, pace, recheckMs } = parts;
  const decide = decideObjects(parts);
  return async (sync, { type, after }) => {
    const processor = await processors.of(sync.teamId);
    await pace();
    const page = await processor.listObjects(type, after ?? undefined).catch((err: unknown) => {
      if (isMissing(err) && after !== null) return null;
      throw err;
    });
    // What the page before ended with was deleted: the list is read from its start, and known objects are left alone.
    if (!page) return { after: null };
    const { objects, readAt, hasMore } = page;
    const decisions = (await decide(sync, type, objects)).map(decided => {
      const state = afterFirstReading(decided, { isRecent: isRecent(decided.object, readAt, type) });
      return { ...decided, state, checks: 0, readAt };
    });
    await saveObjects(em.fork(), sync, type, decisions, { existing: 'kept', recheckMs });
    const last = objects.at(-1);
    return hasMore && last ? { after: last.id } : 'done';
  };
}

function isRecent(object: Parameters<typeof detailsOf>[1], readAt: Date, type: SyncType): boolean {
  const { createdAt } = detailsOf(type, object);
  return !createdAt || readAt.getTime() - createdAt.getTime() < RECENT_MS;
}
