import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Subscription } from '../objects/stored.ts';
import { asItIs } from '../objects/subscription.ts';
import { cardFor, outcomeOf, refuseUnpaid, type PaymentBehavior } from './payments.ts';
import { collectDraft } from './collection.ts';
import { discountsOf, dropSpentDiscounts, removeDiscounts, storeDiscounts } from './discounts.ts';
import { draftChange } from './draft-change.ts';
import { dropPendingChange } from './pending-changes.ts';
import { holdChange } from './hold-change.ts';
import { finalizeInvoice } from './invoicing.ts';
import type { ChangePlan } from './plan-change.ts';
import { previewInvoice } from './preview.ts';
import { addInvoiceItems, recordDebits, recordProrations } from './prorations.ts';

/**
 * Applies a planned change and emits its events. An invoice that it makes is collected. If that fails, the behavior decides:
 * the change applies and the subscription is past due, the change waits for its payment, or nothing happens at all. A
 * change that bills or prorates replaces one that waits.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/pending-updates)
 * @throws ApiError 402 when the behavior is `error_if_incomplete` and the card does not pay; 400 without a card
 */
export function applyChange(
  unit: UnitOfWork,
  current: Subscription,
  plan: ChangePlan,
  behavior: PaymentBehavior = 'allow_incomplete',
): Subscription {
  const isCharged = plan.billsNow && isChargedNow(unit, current, plan);
  const card = cardFor(unit, plan.after);
  if (isCharged && behavior === 'error_if_incomplete') refuseUnpaid(unit, card);
  const before = plan.billsNow || plan.items.length > 0 ? dropPendingChange(unit, current) : current;
  const { pending_update } = before;
  const id = plan.billsNow ? { latest_invoice: newId('in_1') } : {};
  const named = { ...plan, after: { ...plan.after, pending_update, ...id } };
  const isPaid = !isCharged || (card !== null && outcomeOf(unit, card) === 'pays');
  if (!isPaid && behavior === 'pending_if_incomplete') return holdChange(unit, before, named);
  storeDiscounts(unit, plan.discounts);
  removeDiscounts(unit, discountsOf(before), discountsOf(plan.after));
  const after = unit.update('subscription', before, named.after);
  recordProrations(unit, after, plan.items);
  if (!plan.billsNow) {
    addInvoiceItems(unit, plan.items);
    return after;
  }
  const draft = draftChange(unit, before, { ...plan, after });
  if (plan.isNewPeriod) recordDebits(unit, draft);
  const left = dropSpentDiscounts(unit, after, draft);
  if (!isCharged || behavior !== 'default_incomplete') return collectDraft(unit, left, draft);
  // The payment waits for the customer to confirm it.
  finalizeInvoice(unit, draft);
  return unit.update('subscription', asItIs(unit, left), { status: 'past_due' });
}

/** Returns whether the invoice of a change is to be paid with the card. */
function isChargedNow(unit: UnitOfWork, before: Subscription, plan: ChangePlan): boolean {
  const { collection_method: method, pause_collection: pause } = plan.after;
  return method === 'charge_automatically' && !pause && previewInvoice(unit, before, plan, 'next').amount_due > 0;
}
