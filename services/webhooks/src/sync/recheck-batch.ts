import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { afterRecheck } from '#domain/sync-finding.ts';
import { decideObjects } from './decide-objects.ts';
import { nextObjects, saveObjects } from './object-rows.ts';
import type { Step, StepParts } from './step.ts';
import { gone } from './synced-objects.ts';

/** Objects of one step; each costs a request. */
const BATCH = 20;
const WAIT_MS = 250;

/** Reads objects again that differed, after a pause; `domain/sync-finding.ts` has the rule. */
export function recheckBatch(parts: StepParts): Step {
  const { em, processors, pace, recheckMs } = parts;
  const decide = decideObjects(parts);
  return async (sync, { type }) => {
    const suspects = await nextObjects(em, sync, type, { state: 'suspect', limit: BATCH, isDue: true });
    if (suspects.length === 0) {
      const [left] = await nextObjects(em, sync, type, { state: 'suspect', limit: 1 });
      return left ? { waitMs: WAIT_MS } : 'done';
    }
    const processor = await processors.of(sync.teamId);
    const isBusy = await hasPendingEvents(em, sync.teamId);
    const readings = await Promise.all(
      suspects.map(async suspect => {
        await pace();
        const { object, readAt } = await processor.findListed(type, suspect.processorId);
        return { suspect, object: object ?? gone(suspect.processorId), readAt };
      }),
    );
    const decided = await decide(
      sync,
      type,
      readings.map(({ object }) => object),
    );
    const decisionOf = new Map(decided.map(one => [one.object, one]));
    const decisions = readings.flatMap(({ suspect, object, readAt }) => {
      const decision = decisionOf.get(object);
      if (!decision) return [];
      return { ...decision, state: afterRecheck(suspect, decision, { isBusy }), checks: suspect.checks + 1, readAt };
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
      where team_id = $1 and status = 'received' and waiting_for is null
        and received_at > clock_timestamp() - interval '10 minutes' limit 1`,
    [teamId],
  );
  return rows.length > 0;
}
