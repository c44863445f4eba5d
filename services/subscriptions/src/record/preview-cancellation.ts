import type { ProjectScope } from '@billing/contracts/ids';
import { hasEnded } from '@billing/contracts/resources/subscription';
import type { CancellationPreview, SubscriptionCancel } from '@billing/contracts/resources/subscription-cancel';
import { findKnownPriceIds } from '#copies/find-catalog-ids';
import { amountsOf, linesOf } from '#plan-changes/preview.rules';
import type { Dependencies } from '../dependencies.ts';
import { nothingToCancel } from './cancel-now.ts';
import { findSubscription, type SubscriptionKey } from './subscription-rows.ts';

/**
 * Previews what canceling a subscription now credits or charges, by the processor's own figures. Changes nothing.
 * @throws Problem 404 `subscription_not_found`, for one that has ended too; 409 `processor_not_connected`; `processor_error` after
 * a refusal
 */
export function previewCancellation({ em, processors }: Pick<Dependencies, 'em' | 'processors'>) {
  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    { prorate, invoiceNow }: Pick<SubscriptionCancel, 'prorate' | 'invoiceNow'>,
  ): Promise<CancellationPreview> => {
    const { status, processorSubscriptionId, items } = await findSubscription(em.fork(), scope, key);
    if (hasEnded(status)) throw nothingToCancel();
    const processor = await processors.of(scope.teamId);
    const invoice =
      prorate || invoiceNow ? await processor.previewCancellation(processorSubscriptionId, prorate) : null;
    const billed = (invoice?.lines ?? []).flatMap(({ priceId }) => priceId ?? []);
    return {
      currency: invoice?.currency ?? items[0]?.currency ?? '',
      credit: Math.max(0, -(invoice?.total ?? 0)),
      amountDue: amountsOf(invoice, invoiceNow).amountDue,
      lines: linesOf(invoice, await findKnownPriceIds(em.fork(), scope, billed)),
      exact: false,
    };
  };
}
