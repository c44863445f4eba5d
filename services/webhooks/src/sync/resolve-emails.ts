import type { EntityManager } from '@mikro-orm/postgresql';
import type { SyncId } from '@billing/contracts/ids';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { executeBound } from '@billing/database/bound-statement';
import { chooseCustomer, type EmailCandidate } from './sync-decision.rules.ts';
import { updateObjects } from './object-rows.ts';
import type { Step, StepParts } from './lease-syncs.ts';

/** Customers of one step; each costs a request. */
const BATCH = 20;

/**
 * Takes some e-mails that several customers without a record have, chooses for each the one that is taken, and makes the
 * others conflicts that name it.
 */
export function resolveEmails({ em, processors, pace }: Pick<StepParts, 'em' | 'processors' | 'pace'>): Step {
  return async sync => {
    const customers = await findShared(em, sync.id);
    if (customers.length === 0) return 'done';
    const processor = await processors.of(sync.teamId);
    const candidates = await Promise.all(
      customers.map(async customer => {
        await pace();
        const listed = await processor.listSubscriptions(customer.processorId);
        return { ...customer, hasLiveSubscription: listed.some(({ status }) => status === null || !hasEnded(status)) };
      }),
    );
    const conflicts = [...Map.groupBy(candidates, ({ email }) => email).values()].flatMap(toConflicts);
    await updateObjects(em.fork(), sync, 'customer', conflicts);
    return {};
  };
}

/** Those of one e-mail that are not taken. */
function toConflicts(candidates: readonly EmailCandidate[]) {
  const taken = chooseCustomer(candidates);
  const why = taken?.hasLiveSubscription ? 'has a live subscription' : 'is the newest';
  const reason = `${taken?.processorId} with the same e-mail is taken: it ${why}`;
  return candidates
    .filter(it => it !== taken)
    .map(({ processorId }) => ({ processorId, state: 'done', outcome: 'conflict', reason }) as const);
}

/** Customers whose e-mail several have, by e-mail. */
function findShared(em: EntityManager, syncId: SyncId) {
  const open = `sync_id = $1 and type = 'customer' and state in ('suspect', 'confirmed') and outcome = 'missing'`;
  return executeBound<Omit<EmailCandidate, 'hasLiveSubscription'> & { readonly email: string }>(
    em.fork(),
    `select processor_id as "processorId", email, coalesce(extract(epoch from created_at), 0)::float8 as "createdSeconds"
       from sync_objects
      where ${open} and email in (select email from sync_objects where ${open} and email is not null
                                   group by email having count(*) > 1 order by email limit ${BATCH / 2})
      order by email, processor_id limit ${BATCH}`,
    [syncId],
  );
}
