import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { customerOrNull } from '../objects/finding.ts';
import type { BilledLine } from '../objects/invoice-line.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import { asItIs, currentPeriod, hasEnded } from '../objects/subscription.ts';
import type { Invoice, InvoiceItem, Subscription } from '../objects/stored.ts';
import { collectDraft } from './collection.ts';
import { discounted, rebatesOf } from './discounts.ts';
import { draftInvoice } from './invoicing.ts';
import { billedTo, noUpcoming, shown } from './preview.ts';
import { addInvoiceItems, pendingItems, pendingLines, prorationsOf } from './prorations.ts';
import { endSubscription } from './subscriptions.ts';

/** How a subscription is billed that is canceled now. */
interface Cancellation {
  /** Credits what is left of the period. */
  prorate: boolean;
  /** Makes a final invoice of that, and of all that waits for one. */
  invoiceNow: boolean;
}

/**
 * Cancels a subscription now. What is credited waits for an invoice of the customer unless a final one is made; without either,
 * prorations that wait are removed. Open invoices are not collected any more, but for the final one.
 * (Stripe: https://docs.stripe.com/api/subscriptions/cancel)
 */
export function cancelSubscription(
  unit: UnitOfWork,
  subscription: Subscription,
  { prorate, invoiceNow }: Cancellation,
): Subscription {
  if (prorate) addInvoiceItems(unit, unusedTime(unit, subscription));
  if (!prorate && !invoiceNow) removeProrations(unit, subscription);
  const lines = invoiceNow ? finalLines(unit, subscription, pendingLines(unit, subscription)) : [];
  if (lines.length === 0) return endSubscription(unit, subscription, 'cancellation_requested');
  const id = newId('in_1');
  const ended = endSubscription(unit, { ...subscription, latest_invoice: id }, 'cancellation_requested');
  const draft = draftInvoice(unit, {
    id,
    customer: customerOrNull(unit, ended.customer),
    subscription: ended,
    reason: 'subscription_update',
    currency: ended.currency,
    lines,
    period: { start: currentPeriod(ended).start, end: unit.now },
  });
  collectDraft(unit, ended, draft);
  return asItIs(unit, ended);
}

/**
 * Returns the final invoice of a subscription as it would be if that were canceled now.
 * @throws ApiError 404 when it would have no lines
 */
export function previewCancellation(unit: UnitOfWork, subscription: Subscription, prorate: boolean): Invoice {
  const credits = prorate ? unusedTime(unit, subscription).map(lineOfItem) : [];
  const lines = finalLines(unit, subscription, [...pendingLines(unit, subscription), ...credits]);
  if (lines.length === 0 || hasEnded(subscription)) throw noUpcoming(subscription.customer);
  const period = { start: currentPeriod(subscription).start, end: unit.now };
  return shown(unit, { ...billedTo(unit, subscription), lines, period });
}

const finalLines = (unit: UnitOfWork, subscription: Subscription, lines: BilledLine[]): BilledLine[] =>
  discounted(lines, rebatesOf(unit, subscription, unit.now));

/** Returns the credits for what is left of the period, which are not stored. A trial leaves nothing. */
function unusedTime(unit: UnitOfWork, subscription: Subscription): InvoiceItem[] {
  if (subscription.status === 'trialing') return [];
  const nothing = { ...subscription, items: { ...subscription.items, data: [] } };
  return prorationsOf(unit, subscription, nothing, { at: unit.now, isNewPeriod: false, rebates: [] });
}

function removeProrations(unit: UnitOfWork, subscription: Subscription): void {
  const isProration = ({ proration, parent }: InvoiceItem) =>
    proration && parent?.subscription_details.subscription === subscription.id;
  for (const item of pendingItems(unit, subscription).filter(isProration)) {
    unit.tables.invoiceitem.remove(item.id);
    unit.emit('invoiceitem.deleted', item);
  }
}
