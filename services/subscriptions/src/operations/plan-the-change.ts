import type { ProjectScope } from '@billing/contracts/ids';
import type { PlanChange } from '@billing/contracts/resources/plan-change';
import type { Processor } from '@billing/processor/port';
import { canBeMarked } from '#domain/made-change.ts';
import type { SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Dependencies } from '../dependencies.ts';
import type { PlannedChange } from './planned-change.ts';
import { prepareChange, type CheckSnapshot, type PreparedChange } from './prepare-change.ts';
import { requireAmount } from './require-amount.ts';

/**
 * Plans a change as it is then sent, however often: prepares it, checks that it costs what the caller expects, and decides what
 * happens if it is not paid. Changes nothing.
 * @throws Problem what `check` and `prepareChange` throw; 409 `amount_changed`
 */
export function planTheChange(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>) {
  const prepare = prepareChange(dependencies);

  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    wanted: PlanChange,
    check?: CheckSnapshot,
  ): Promise<PlannedChange> => {
    const prepared = await prepare(scope, key, wanted, check);
    const processor = await dependencies.processors.of(scope.teamId);
    if (wanted.expectedAmountDue !== undefined) await requireAmount(processor, prepared, wanted.expectedAmountDue);
    const { when, effectiveAt, items, phaseItems, change, reread } = prepared;
    const { latestInvoiceId, pendingUpdate } = reread.snapshot;
    return {
      when,
      effectiveAt,
      items,
      phaseItems,
      change,
      paymentBehavior: await behaviorOf(processor, prepared, wanted),
      // A schedule has metadata of its own.
      isMarked: when === 'period_end' || canBeMarked(reread.snapshot),
      latestInvoiceId,
      replacesPending: pendingUpdate !== null,
    };
  };
}

/**
 * Returns what happens when a change is not paid. Changes wait for cards only, and what is sent as an invoice is not charged at all.
 * https://docs.stripe.com/billing/subscriptions/pending-updates-reference
 */
async function behaviorOf(
  processor: Processor,
  { when, reread: { snapshot } }: PreparedChange,
  { paymentBehavior }: PlanChange,
): Promise<PlannedChange['paymentBehavior']> {
  const { id, customerId, collectionMethod } = snapshot;
  if (collectionMethod === 'send_invoice') return 'allow_incomplete';
  if (when !== 'now' || paymentBehavior !== 'pending_if_incomplete') return paymentBehavior;
  const { ofSubscriptions, customerDefault } = await processor.findPaymentMethods(customerId);
  const method = ofSubscriptions.get(id) ?? customerDefault;
  return method === null || method.type === 'card' ? paymentBehavior : 'error_if_incomplete';
}
