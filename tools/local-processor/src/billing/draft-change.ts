import type { UnitOfWork } from '../api/unit-of-work.ts';
import { customerOrNull } from '../objects/finding.ts';
import type { BilledLine } from '../objects/invoice-line.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import { currentPeriod } from '../objects/subscription.ts';
import type { Invoice, Subscription } from '../objects/stored.ts';
import { discounted, rebatesOf } from './discounts.ts';
import { draftInvoice } from './invoicing.ts';
import type { ChangePlan } from './plan-change.ts';
import { addInvoiceItems, pendingLines } from './prorations.ts';
import { linesFor } from './subscription-periods.ts';

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
  });
}

/** Returns the lines of the invoice that a change makes now: what has waited, the prorations, and a period that begins. */
export function changeLines(unit: UnitOfWork, before: Subscription, plan: ChangePlan): BilledLine[] {
  const period = plan.isNewPeriod ? linesFor(unit, plan.after, currentPeriod(plan.after)) : [];
  const lines = [...pendingLines(unit, before), ...plan.items.map(lineOfItem), ...period];
  return discounted(lines, rebatesOf(unit, plan.after, unit.now, plan.discounts));
}
