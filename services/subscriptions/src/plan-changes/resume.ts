import type { ProjectScope } from '@billing/contracts/ids';
import { invalid } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { ResumePreview, SubscriptionResume } from '@billing/contracts/resources/subscription-pause';
import { isRefused } from '@billing/processor/errors';
import { findKnownPriceIds } from '#copies/find-catalog-ids';
import { notPaused, resumeCollection } from '#record/pause-collection';
import { findSubscription, type SubscriptionKey } from '#record/subscription-rows';
import type { Subscription } from '#record/subscription.entity';
import { requireRunning } from '#record/subscription.rules';
import type { Dependencies } from '../dependencies.ts';
import { amountsOf, linesOf } from './preview.rules.ts';
import { moreIsDue, requirePaused, resumePaused, type Resumed } from './resume-paused.ts';

/** Checks that the period is not to begin anew of a subscription whose periods have gone on. @throws Problem 400 */
function requireKept({ pauseBehavior }: Subscription, { billingCycle }: SubscriptionResume): void {
  if (pauseBehavior === null || billingCycle === 'keep') return;
  const message = 'Only a subscription with the status `paused` can begin a new period.';
  throw invalid([{ path: 'billingCycle', message }]);
}

/**
 * Resumes a subscription: the payments of one whose payments are paused, of which nothing is charged now; or one with the status
 * `paused`, which is charged.
 * @throws Problem what `resumeCollection` and `resumePaused` throw; 400 for a new period where payments are paused
 */
export function resume(dependencies: Pick<Dependencies, 'em' | 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const { em, operationLog } = dependencies;
  const [ofCollection, ofPaused] = [resumeCollection(dependencies), resumePaused(dependencies)];
  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    wanted: SubscriptionResume,
    context: AuditContext,
    operationKey?: string,
  ): Promise<Resumed> => {
    // What an earlier run of the request has left is finished first: the record may be as it wanted already.
    if (operationKey !== undefined) await operationLog.resume(key.id);
    const current = await findSubscription(em.fork(), scope, key);
    const { expectedAmountDue: expected = 0 } = wanted;
    if (current.status === 'paused' || (current.operationKey !== null && current.operationKey === operationKey))
      return ofPaused(scope, key, wanted, context, operationKey);
    requireKept(current, wanted);
    if (expected < 0) throw moreIsDue({ expected, actual: 0 });
    return { subscription: await ofCollection(scope, key, context, operationKey), invoice: null };
  };
}

/**
 * Previews what resuming a subscription charges now, by the processor's own figures. Changes nothing.
 * @throws Problem 404 `subscription_not_found`; 422 `subscription_ended`, `not_paused`; 409 `processor_not_connected`; 400 as
 * `resume`; `processor_error` after a refusal
 */
export function previewResume({ em, processors }: Pick<Dependencies, 'em' | 'processors'>) {
  return async (scope: ProjectScope, key: SubscriptionKey, wanted: SubscriptionResume): Promise<ResumePreview> => {
    const current = await findSubscription(em.fork(), scope, key);
    const { status, pauseBehavior, processorSubscriptionId: id, items } = current;
    requireRunning(status);
    const isPaused = status === 'paused';
    if (!isPaused && pauseBehavior === null) throw notPaused();
    if (!isPaused) requireKept(current, wanted);
    const restarts = wanted.billingCycle === 'restart';
    const preview = async () => {
      const processor = await processors.of(scope.teamId);
      return processor.previewResumption(id, restarts).catch(async (err: unknown) => {
        // It may not be paused any more, which no event has told yet.
        if (isRefused(err)) requirePaused(await processor.findSubscription(id));
        throw err;
      });
    };
    const invoice = isPaused ? await preview() : null;
    const billed = (invoice?.lines ?? []).flatMap(({ priceId }) => priceId ?? []);
    return {
      currency: invoice?.currency ?? items[0]?.currency ?? '',
      ...amountsOf(invoice, true),
      lines: linesOf(invoice, await findKnownPriceIds(em.fork(), scope, billed)),
      exact: restarts || !isPaused,
    };
  };
}
