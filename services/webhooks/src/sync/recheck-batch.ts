import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { SyncType } from '@billing/contracts/resources/sync';
import { ListLiveRecords, SYNC_OWNERS } from '@billing/contracts/rpc/syncs';
import { executeBound } from '@billing/database/bound-statement';
import type { ListedObject } from '@billing/processor/port';
import { afterRecheck } from '#domain/sync-finding.ts';
import { decideObjects, type DecidedObject } from './decide-objects.ts';
import { isGone } from './find-extras.ts';
import { countObjects, nextObjects, saveDecisions, type ObjectDecision, type StoredObject } from './object-rows.ts';
import type { LeasedSync } from './lease-syncs.ts';
import type { Step, StepParts } from './step.ts';

/** Objects of one step; each costs a request. */
const BATCH = 20;
const WAIT_MS = 250;

const SAME: DecidedObject = { outcome: 'same', reason: null, recordId: null, fields: [] };

/** Reads objects again that differed, after a pause; `domain/sync-finding.ts` has the rule. */
export function recheckBatch(parts: StepParts): Step {
  const { em, rpc, processors, pace, recheckMs } = parts;
  const decideAll = decideObjects(parts);

  /** Decides on what was read again, in the order of the suspects. */
  const decideAgain = async (
    sync: LeasedSync,
    type: SyncType,
    suspects: readonly StoredObject[],
    objects: readonly (ListedObject | null)[],
  ): Promise<DecidedObject[]> => {
    const present = objects.filter(object => !isGone(object));
    const decided = await decideAll(sync, type, present);
    const decisionOf = new Map(present.map((object, index) => [object, decided[index] ?? SAME]));
    const gone = suspects.filter(({ recordId }, index) => recordId !== null && isGone(objects[index] ?? null));
    const live = await findLive(sync, type, gone);
    return suspects.map(({ processorId, recordId }, index): DecidedObject => {
      const object = objects[index] ?? null;
      if (!isGone(object)) return decisionOf.get(object) ?? SAME;
      return live.has(processorId) ? { outcome: 'extra', reason: null, recordId, fields: [] } : SAME;
    });
  };

  /** Returns those of the objects, by Stripe's id, that still have a live record. */
  const findLive = async (
    { teamId, projectId }: LeasedSync,
    type: SyncType,
    objects: readonly StoredObject[],
  ): Promise<ReadonlySet<string>> => {
    if (objects.length === 0) return new Set();
    const processorIds = objects.map(({ processorId }) => processorId);
    const page = { after: null, limit: objects.length, processorIds };
    const { records } = await rpc.call(ListLiveRecords[SYNC_OWNERS[type]], { teamId, projectId, type, ...page });
    return new Set(records.map(({ processorId }) => processorId));
  };

  return async (sync, { type }) => {
    const suspects = await nextObjects(em, sync, type, { state: 'suspect', limit: BATCH, isDue: true });
    if (suspects.length === 0) {
      const isOver = (await countObjects(em, sync, type, 'suspect')) === 0;
      return isOver ? { next: 'done' } : { next: 'again', waitMs: WAIT_MS };
    }
    const processor = await processors.of(sync.teamId);
    const isBusy = await hasPendingEvents(em, sync.teamId);
    const readings = await Promise.all(
      suspects.map(async ({ processorId }) => {
        await pace();
        return processor.findListed(type, processorId);
      }),
    );
    const objects = readings.map(({ object }) => object);
    const decided = await decideAgain(sync, type, suspects, objects);
    const decisions = suspects.flatMap((suspect, index): ObjectDecision[] => {
      const [decision, reading] = [decided[index], readings[index]];
      if (!decision || !reading) return [];
      const state = afterRecheck(suspect, decision, { isBusy });
      return [
        {
          ...decision,
          state,
          dueInMs: state === 'suspect' ? recheckMs : undefined,
          processorId: suspect.processorId,
          checks: suspect.checks + 1,
          reread: { object: isGone(reading.object) ? null : reading.object, readAt: reading.readAt },
        },
      ];
    });
    await saveDecisions(em.fork(), sync.id, type, decisions);
    return { next: 'again' };
  };
}

/** Whether events of the team are on their way to the records; older ones wait for something else. */
async function hasPendingEvents(em: EntityManager, teamId: TeamId): Promise<boolean> {
  const rows = await executeBound(
    em.fork(),
    `select 1 from webhook_events
      where team_id = $1 and status = 'received' and waiting_for is null
        and received_at > clock_timestamp() - interval '10 minutes' limit 1`,
    [teamId],
  );
  return rows.length > 0;
}
