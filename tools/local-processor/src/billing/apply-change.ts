import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { customerOrNull } from '../objects/customer.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import type { BilledLine } from '../objects/invoice.ts';
import { currentPeriod } from '../objects/subscription.ts';
import type { Invoice, Subscription } from '../objects/stored.ts';
import { draftInvoice } from './invoicing.ts';
import type { ChangePlan } from './plan-change.ts';
import { addInvoiceItems, pendingLines, recordDebits, recordProrations } from './prorations.ts';
import { linesFor } from './subscription-periods.ts';
import { collectDraft } from './subscriptions.ts';

/**
 * Applies a planned change and emits its events. An invoice that it makes is collected; the subscription is past due if
 * that fails, with the change.
 */
export function applyChange(unit: UnitOfWork, before: Subscription, plan: ChangePlan): Subscription {
  const id = plan.billsNow ? { latest_invoice: newId('in_1') } : {};
  const after = unit.update('subscription', before, { ...plan.after, ...id }, 'customer.subscription.updated');
  recordProrations(unit, after, plan.items);
  if (!plan.billsNow) {
    addInvoiceItems(unit, plan.items);
    return after;
  }
  const draft = draftChange(unit, before, { ...plan, after });
  if (plan.isNewPeriod) recordDebits(unit, draft);
  return collectDraft(unit, after, draft);
}

/** Stores the prorations of a change and drafts its invoice, under the id that the changed subscription names. */
export function draftChange(unit: UnitOfWork, before: Subscription, plan: ChangePlan): Invoice {
  const lines = changeLines(unit, before, plan);
  addInvoiceItems(unit, plan.items);
  return draftInvoice(unit, {
    id: String(plan.after.latest_invoice),
    customer: customerOrNull(unit, before.customer),
    subscription: plan.after,
    reason: 'subscription_update',
    currency: before.currency,
    lines,
    period: { start: currentPeriod(before).start, end: unit.now },
    metadata: {},
    paymentIntent: null,
  });
}

/** Returns the lines of the invoice that a change makes now: what has waited, the prorations, and a period that begins. */
export function changeLines(unit: UnitOfWork, before: Subscription, plan: ChangePlan): BilledLine[] {
  const period = plan.isNewPeriod ? linesFor(unit, plan.after, currentPeriod(plan.after)) : [];
  return [...pendingLines(unit, before), ...plan.items.map(lineOfItem), ...period];
}
