import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { SyncType } from '@billing/contracts/resources/sync';
import { ListLiveRecords, SYNC_OWNERS } from '@billing/contracts/rpc/syncs';
import { executeBound } from '@billing/database/bound-statement';
import { isMissing } from '@billing/processor/errors';
import type { ListedObject } from '@billing/processor/port';
import { HISTORY_DAYS } from './sync-decision.rules.ts';
import { afterFirstReading, afterRecheck } from './sync-finding.rules.ts';
import { decideObjects } from './decide-objects.ts';
import { nextObjects, saveObjects } from './object-rows.ts';
import { detailsOf, gone } from './synced-objects.rules.ts';
import type { Step, StepParts } from './lease-syncs.ts';

/** The event of an object that is younger may be on its way, in milliseconds. */
const RECENT_MS = 10 * 60_000;
/** Records of one step. */
const RECORDS = 100;
/** Suspects of one step; each that differs from its record costs a request. */
const RECHECKS = 20;
const WAIT_MS = 250;
const HISTORY_MS = HISTORY_DAYS * 86_400_000;

/** Reads the next page of the processor's list, compares its objects with the records, and stores what is decided. */
export function readPage(parts: StepParts): Step {
  const { em, processors, pace, recheckMs } = parts;
  const decide = decideObjects(parts);
  return async (sync, { type, after }) => {
    const processor = await processors.of(sync.teamId);
    await pace();
    const createdFrom = type === 'payment' ? new Date(sync.startedMs - HISTORY_MS) : undefined;
    const page = await processor.listObjects(type, after ?? undefined, createdFrom).catch((err: unknown) => {
      if (isMissing(err) && after !== null) return null;
      throw err;
    });
    // What the page before ended with was deleted: the list is read from its start, and known objects are left alone.
    if (!page) return { after: null };
    const { objects, readAt, hasMore } = page;
    const readings = objects.map(object => ({ object, readAt, checks: 0 }));
    const decisions = (await decide(sync, type, readings)).map(decided => {
      const state = afterFirstReading(decided, { isRecent: isRecent(decided.object, readAt, type) });
      return { ...decided, state };
    });
    await saveObjects(em.fork(), sync, type, decisions, { existing: 'kept', recheckMs });
    const last = objects.at(-1);
    return hasMore && last ? { after: last.id } : 'done';
  };
}

function isRecent(object: ListedObject, readAt: Date, type: SyncType): boolean {
  const { createdAt } = detailsOf(type, object);
  return !createdAt || readAt.getTime() - createdAt.getTime() < RECENT_MS;
}

/**
 * Goes through the project's live records. Those that were in no page are suspects: the processor does not have them, or
 * they were made meanwhile.
 */
export function findExtras({ em, rpc, now }: StepParts): Step {
  return async (sync, { type, after }) => {
    const { teamId, projectId } = sync;
    const request = { teamId, projectId, type, after, limit: RECORDS };
    const { records, next } = await rpc.call(ListLiveRecords[SYNC_OWNERS[type]], request);
    // Two readings that say `extra` follow, as of all that differs.
    const undecided = {
      state: 'suspect',
      outcome: 'same',
      fields: [],
      reason: null,
      checks: 0,
      readAt: now(),
    } as const;
    const unread = records.map(({ id: recordId, processorId: id }) => ({ ...undecided, object: { id }, recordId }));
    await saveObjects(em.fork(), sync, type, unread, { existing: 'kept', recheckMs: 0 });
    return next === null ? 'done' : { after: next };
  };
}

/**
 * Compares objects again that differed, after a pause; `sync-finding.rules.ts` has the rule. One that had no record is taken as
 * it was read: its later events bring what is newer.
 */
export function recheckBatch(parts: StepParts): Step {
  const { em, processors, pace, recheckMs } = parts;
  const decide = decideObjects(parts);
  return async (sync, { type }) => {
    const suspects = await nextObjects(em, sync, type, { state: 'suspect', limit: RECHECKS, isDue: true });
    if (suspects.length === 0) {
      const [left] = await nextObjects(em, sync, type, { state: 'suspect', limit: 1 });
      return left ? { waitMs: WAIT_MS } : 'done';
    }
    const processor = await processors.of(sync.teamId);
    const isBusy = await hasPendingEvents(em, sync.teamId);
    const readings = await Promise.all(
      suspects.map(async suspect => {
        if (suspect.object) return { suspect, object: suspect.object, readAt: new Date(suspect.readMs) };
        await pace();
        const { object, readAt } = await processor.findListed(type, suspect.processorId);
        return { suspect, object: object ?? gone(suspect.processorId), readAt };
      }),
    );
    const decisions = (await decide(sync, type, readings)).map(({ suspect, ...decided }) => {
      return { ...decided, state: afterRecheck(suspect, decided, { isBusy }), checks: suspect.checks + 1 };
    });
    await saveObjects(em.fork(), sync, type, decisions, { existing: 'replaced', recheckMs });
    return {};
  };
}

/** Whether events of the team are on their way to the records; older ones wait for something else. */
async function hasPendingEvents(em: EntityManager, teamId: TeamId): Promise<boolean> {
  const rows = await executeBound(
    em.fork(),
    `select 1 from webhook_events
      where team_id = $1 and due_at is not null and status = 'received' and waiting_for is null
        and received_at > clock_timestamp() - interval '10 minutes' limit 1`,
    [teamId],
  );
  return rows.length > 0;
}
