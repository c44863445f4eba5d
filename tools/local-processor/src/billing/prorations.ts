import type { UnitOfWork } from '../api/unit-of-work.ts';
import { prorate } from '../domain/prorate.ts';
import type { BilledLine } from '../objects/invoice.ts';
import { lineOfItem, newInvoiceItem, type Proration } from '../objects/invoice-item.ts';
import { isMetered, priceAmount } from '../objects/price.ts';
import type {
  CreditedItems,
  Invoice,
  InvoiceItem,
  LastDebit,
  Subscription,
  SubscriptionItem,
} from '../objects/stored.ts';

/** Which lines a change makes. */
interface Extent {
  /** From when on it counts, in Unix seconds. */
  at: number;
  /** Whether a new period begins, which is billed as a whole. */
  isNewPeriod: boolean;
}

/**
 * Returns the invoice items that prorate a change of a subscription; they are not stored. One line for each item credits
 * what is left of its last debit, and one debits what the new price and quantity cost for the rest of the period.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/prorations, flexible billing mode with included discounts)
 */
export function prorationsOf(
  unit: UnitOfWork,
  before: Subscription,
  after: Subscription,
  { at, isNewPeriod }: Extent,
): InvoiceItem[] {
  const kept = new Map(after.items.data.map(item => [item.id, item]));
  const known = new Set(before.items.data.map(({ id }) => id));
  const lines = before.items.data.flatMap(item => {
    const next = kept.get(item.id);
    const isChanged = next?.price.id !== item.price.id || next.quantity !== item.quantity;
    if (!isNewPeriod && !isChanged) return [];
    return [...creditOf(unit, item, at), ...(next && !isNewPeriod ? debitOf(unit, after, next, at) : [])];
  });
  const added = isNewPeriod ? [] : after.items.data.filter(({ id }) => !known.has(id));
  return [...lines, ...added.flatMap(item => debitOf(unit, after, item, at))].map(line =>
    newInvoiceItem(unit, after, line),
  );
}

/** Credits the rest of what was debited last. An item that was never debited, for lack of a proration, has no credit. */
function creditOf(unit: UnitOfWork, item: SubscriptionItem, at: number): Proration[] {
  const debit = unit.tables.last_debit.get(item.id);
  if (!debit) return [];
  const { amount, period, source } = debit;
  const left = { start: Math.max(at, period.start), end: period.end };
  return [{ item, amount: 0 - prorate(amount, period, at), period: left, credited: source }];
}

function debitOf(unit: UnitOfWork, subscription: Subscription, item: SubscriptionItem, at: number): Proration[] {
  if (isMetered(item.price)) return [];
  const { current_period_start: start, current_period_end: end } = item;
  const full = priceAmount(unit, item.price, subscription.currency, item.quantity ?? null);
  return [{ item, amount: prorate(full, { start, end }, at), period: { start: at, end }, credited: null }];
}

/** Stores prorations and emits their events: the next invoice of the subscription takes them. */
export function addInvoiceItems(unit: UnitOfWork, items: readonly InvoiceItem[]): void {
  for (const item of items) {
    unit.create('invoiceitem', item);
    unit.emit('invoiceitem.created', item);
  }
}

/** Returns the lines of a subscription that wait for its next invoice, oldest first. */
export function pendingLines(unit: UnitOfWork, subscription: Subscription): BilledLine[] {
  return pendingItems(unit, subscription).map(lineOfItem);
}

/** Returns the items of a subscription that wait for its next invoice, also behind a change that waits itself. */
export function pendingItems(unit: UnitOfWork, { id }: Subscription): InvoiceItem[] {
  const waiting = unit.tables.held_change.get(id)?.waiting ?? [];
  return unit.tables.invoiceitem
    .withField('parent.subscription_details.subscription', id)
    .filter(item => item.invoice === null || waiting.includes(item.id))
    .toReversed();
}

/** Records what an invoice debits for the periods of subscription items. */
export function recordDebits(unit: UnitOfWork, invoice: Invoice): void {
  for (const { id, amount, period, parent } of invoice.lines.data) {
    const details = parent?.subscription_item_details;
    if (!details || details.proration) continue;
    const invoice_line_item_details = { invoice: invoice.id, invoice_line_items: [id] };
    const source: CreditedItems = { type: 'invoice_line_items', invoice_line_item_details };
    recordDebit(unit, { id: details.subscription_item, amount, period, source });
  }
}

/** Records what the prorations of a change debit. Items that the subscription no longer has were credited for good. */
export function recordProrations(unit: UnitOfWork, after: Subscription, items: readonly InvoiceItem[]): void {
  const kept = new Set(after.items.data.map(({ id }) => id));
  for (const { id, amount, period, parent, proration_details } of items) {
    const item = parent.subscription_details.subscription_item;
    if (!kept.has(item) || proration_details.credited_items) unit.tables.last_debit.remove(item);
    if (proration_details.credited_items) continue;
    recordDebit(unit, { id: item, amount, period, source: { type: 'invoice_item', invoice_item: id } });
  }
}

function recordDebit(unit: UnitOfWork, debit: LastDebit): void {
  unit.tables.last_debit.put(debit);
}
