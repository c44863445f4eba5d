import type { EntityManager } from '@mikro-orm/postgresql';
import type { SyncId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { chooseCustomer, type EmailCandidate } from '#domain/sync-decision.ts';
import { saveDecisions, type ObjectDecision } from './object-rows.ts';
import type { Step, StepParts } from './step.ts';

/** Customers of one step; each costs a request. */
const BATCH = 20;

interface CandidateRow {
  readonly processor_id: string;
  readonly email: string;
  readonly created_ms: number;
  readonly checks: number;
}

/**
 * Takes some e-mails that several customers without a record have, chooses for each the one that is taken, and makes the
 * others conflicts that name it.
 */
export function resolveEmails({ em, processors, pace }: Pick<StepParts, 'em' | 'processors' | 'pace'>): Step {
  return async sync => {
    const rows = await findShared(em, sync.id);
    if (rows.length === 0) return { next: 'done' };
    const processor = await processors.of(sync.teamId);
    const candidates = await Promise.all(
      rows.map(async ({ processor_id: processorId, email, created_ms: createdMs, checks }) => {
        await pace();
        const listed = await processor.listSubscriptions(processorId);
        const hasLiveSubscription = listed.some(({ status }) => status === null || !hasEnded(status));
        return { processorId, email, createdAt: new Date(createdMs), hasLiveSubscription, checks };
      }),
    );
    const groups = [...Map.groupBy(candidates, ({ email }) => email).values()];
    await saveDecisions(em.fork(), sync.id, 'customer', groups.flatMap(toConflicts));
    return { next: 'again' };
  };
}

/** Those of one e-mail that are not taken. */
function toConflicts(candidates: readonly (EmailCandidate & { readonly checks: number })[]): ObjectDecision[] {
  const taken = chooseCustomer(candidates);
  const why = taken?.hasLiveSubscription ? 'has a live subscription' : 'is the newest';
  return candidates
    .filter(it => it !== taken)
    .map(({ processorId, checks }) => ({
      processorId,
      state: 'done',
      outcome: 'conflict',
      recordId: null,
      fields: [],
      reason: `${taken?.processorId} with the same e-mail is taken: it ${why}`,
      checks,
    }));
}

/** Customers whose e-mail several have, by e-mail. */
function findShared(em: EntityManager, syncId: SyncId) {
  const open = `sync_id = $1 and type = 'customer' and state in ('suspect', 'confirmed') and outcome = 'missing'`;
  return executeBound<CandidateRow>(
    em.fork(),
    `select processor_id, email, (object ->> 'created')::float8 * 1000 as created_ms, checks
       from sync_objects
      where ${open} and email in (select email from sync_objects where ${open} and email is not null
                                   group by email having count(*) > 1 order by email limit ${BATCH / 2})
      order by email, processor_id limit ${BATCH}`,
    [syncId],
  );
}
