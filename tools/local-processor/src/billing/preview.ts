import { ApiError } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { customerOrNull } from '../objects/finding.ts';
import { type NewInvoice, newInvoice } from '../objects/invoice.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import { currentPeriod, hasEnded } from '../objects/subscription.ts';
import type { Invoice, Subscription, SubscriptionSchedule } from '../objects/stored.ts';
import { changeLines } from './draft-change.ts';
import { discounted, rebatesOf } from './discounts.ts';
import { assessed } from './invoicing.ts';
import type { ChangePlan } from './plan-change.ts';
import { pendingLines } from './prorations.ts';
import { atPeriodEnd } from './subscription-schedules.ts';
import { inPeriod, linesFor, nextPeriod } from './subscription-periods.ts';

/**
 * Returns the invoice that a change makes now, else the next one of the changed subscription, as they would be. Nothing is
 * stored. With `recurring` it is the next period alone; `schedule` stands in for the one that the subscription has.
 * (Stripe: https://docs.stripe.com/api/invoices/create_preview)
 * @throws ApiError 404 when there will be no invoice
 */
export function previewInvoice(
  unit: UnitOfWork,
  before: Subscription,
  plan: ChangePlan,
  mode: 'next' | 'recurring',
  schedule?: SubscriptionSchedule,
): Invoice {
  if (plan.billsNow && mode === 'next') {
    const period = { start: currentPeriod(before).start, end: unit.now };
    return shown(unit, { ...billedTo(unit, plan.after), lines: changeLines(unit, before, plan), period });
  }
  const { start, end } = currentPeriod(plan.after);
  const { after, discounts } = atPeriodEnd(unit, plan.after, end, schedule);
  if (!hasNextPeriod(after, end)) throw noUpcoming(after.customer);
  const next = nextPeriod(after, end);
  const begun = { ...after, ...inPeriod(after, next, end) };
  const waiting = mode === 'next' ? [...pendingLines(unit, before), ...plan.items.map(lineOfItem)] : [];
  const ended = mode === 'next' && after.status !== 'trialing' && { start, end };
  const rebates = rebatesOf(unit, begun, next.start, [...plan.discounts, ...discounts]);
  const lines = discounted([...waiting, ...linesFor(unit, begun, next, ended)], rebates);
  return shown(unit, { ...billedTo(unit, begun), lines, period: { start, end } });
}

export const billedTo = (unit: UnitOfWork, subscription: Subscription) => ({
  customer: customerOrNull(unit, subscription.customer),
  subscription,
  currency: subscription.currency,
});

/** Returns whether a subscription is billed again at a time. */
function hasNextPeriod(subscription: Subscription, end: number): boolean {
  const { cancel_at_period_end: endsWithPeriod, cancel_at: cancelAt, status } = subscription;
  if (hasEnded(subscription) || status === 'paused' || endsWithPeriod) return false;
  return cancelAt === null || cancelAt > end;
}

/** Returns an invoice as it would be at the end of its period. */
export function shown(unit: UnitOfWork, bill: Omit<NewInvoice, 'id' | 'reason'>): Invoice {
  const { period } = bill;
  const untaxed = newInvoice(unit, { ...bill, id: newId('upcoming_in_1'), reason: 'upcoming', isPreview: true });
  const invoice = assessed(unit, untaxed);
  return {
    ...invoice,
    created: period.end,
    next_payment_attempt: invoice.collection_method === 'send_invoice' ? null : period.end,
    webhooks_delivered_at: null,
  };
}

/** The error of a preview when there will be no invoice. */
export function noUpcoming(customer: string): ApiError {
  return new ApiError(404, {
    type: 'invalid_request_error',
    code: 'invoice_upcoming_none',
    message: `No upcoming invoices for customer: ${customer}`,
  });
}
