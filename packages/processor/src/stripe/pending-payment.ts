import type { Stripe } from 'stripe';
import type { PendingReason } from '@billing/contracts/problem-details';
import type { PlanChanges } from '../plan-changes.ts';
import type { Processor } from '../port.ts';
import { readInvoice } from '../snapshots/invoice.ts';
import { lacksPayment, withPayment, type SubscriptionSnapshot } from '../snapshots/subscription.ts';
import { needsConfirmation, nullIfMissing } from '../errors.ts';
import type { Calls } from './calls.ts';
import { addMissingAmounts } from './missing-amounts.ts';
import { addMissingDiscounts, type DiscountReads } from './missing-discounts.ts';
import { addMissingSchedule } from './missing-schedule.ts';
import { completeLists } from './nested-lists.ts';

const NOTHING_KNOWN = { amountDue: 0, reason: 'declined', hostedInvoiceUrl: null } as const;

/** Reads what has to be paid for a pending change: its invoice, and the payment intent of that. */
export function pendingPaymentCalls({ stripe, call }: Calls): Pick<PlanChanges, 'findPendingPayment'> {
  return {
    findPendingPayment: async id => {
      const invoice = await call(async () =>
        readInvoice(await completeLists(stripe, await stripe.invoices.retrieve(id, { expand: ['payments'] }))),
      ).catch(nullIfMissing);
      if (!invoice) return null;
      const { amountDue, hostedInvoiceUrl, paymentIds } = invoice;
      const intentId = paymentIds.find(it => it.startsWith('pi_'));
      const intent = intentId === undefined ? null : await call(() => stripe.paymentIntents.retrieve(intentId));
      return { amountDue, reason: reasonOf(intent), hostedInvoiceUrl };
    },
  };
}

const reasonOf = (intent: Stripe.PaymentIntent | null): PendingReason =>
  intent?.status === 'requires_action' || needsConfirmation(intent?.last_payment_error?.code)
    ? 'authentication_required'
    : 'declined';

export type CompletingReads = Pick<Processor, 'findPrice' | 'findPendingPayment' | 'findSchedule'> & DiscountReads;

/**
 * Returns the subscription with all that its object does not contain: its schedule, amounts, discounts, and the payment of a
 * pending change.
 */
export async function complete(
  snapshot: SubscriptionSnapshot,
  { findPrice, findPendingPayment, findSchedule, ...reads }: CompletingReads,
): Promise<SubscriptionSnapshot> {
  const priced = await addMissingAmounts(await addMissingSchedule(snapshot, findSchedule), findPrice);
  const discounted = await addMissingDiscounts(priced, reads);
  if (!lacksPayment(discounted)) return discounted;
  const { latestInvoiceId } = discounted;
  const payment = latestInvoiceId === null ? null : await findPendingPayment(latestInvoiceId);
  return withPayment(discounted, payment ?? NOTHING_KNOWN);
}
