import type { UnitOfWork } from '../api/unit-of-work.ts';
import { type DiscountAmount, discountAmounts, type Rebate } from '../domain/discounts.ts';
import { prorate } from '../domain/prorate.ts';
import type { BilledLine } from '../objects/invoice-line.ts';
import { lineOfItem, prorationItem, type Proration } from '../objects/invoice-item.ts';
import { isMetered, priceAmount } from '../objects/price.ts';
import type { CreditedItems, Invoice, InvoiceItem, Subscription, SubscriptionItem } from '../objects/stored.ts';

/** Which lines a change makes. */
interface Extent {
  /** From when on it counts, in Unix seconds. */
  at: number;
  /** Whether a new period begins, which is billed as a whole. */
  isNewPeriod: boolean;
  /** What discounts take off the changed subscription. */
  rebates: readonly Rebate[];
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
  { at, isNewPeriod, rebates }: Extent,
): InvoiceItem[] {
  const full = fullAmounts(unit, after, rebates);
  const debitOf = (item: SubscriptionItem) => debitFor(item, full.get(item.id), at);
  const kept = new Map(after.items.data.map(item => [item.id, item]));
  const known = new Set(before.items.data.map(({ id }) => id));
  const lines = before.items.data.flatMap(item => {
    const next = kept.get(item.id);
    const isChanged = next?.price.id !== item.price.id || next.quantity !== item.quantity;
    if (!isNewPeriod && !isChanged) return [];
    return [...creditOf(unit, item, at), ...(next && !isNewPeriod ? debitOf(next) : [])];
  });
  const added = isNewPeriod ? [] : after.items.data.filter(({ id }) => !known.has(id));
  return [...lines, ...added.flatMap(debitOf)].map(line => prorationItem(unit, after, line));
}

/** Credits the rest of what was debited last. An item that was never debited in advance, for lack of a proration, has no credit. */
function creditOf(unit: UnitOfWork, item: SubscriptionItem, at: number): Proration[] {
  const debit = unit.tables.last_debit.get(item.id);
  if (!debit || isMetered(item.price)) return [];
  const { amount, period, source } = debit;
  const left = { start: Math.max(at, period.start), end: period.end };
  return [{ item, amount: 0 - prorate(amount, period, at), period: left, credited: source, discounts: [] }];
}

/** What an item costs for a whole period. */
interface FullAmount {
  amount: number;
  discounts: DiscountAmount[];
}

/** Returns what each item costs for a whole period; usage costs nothing in advance. */
function fullAmounts(unit: UnitOfWork, after: Subscription, rebates: readonly Rebate[]): Map<string, FullAmount> {
  const items = after.items.data.filter(({ price }) => !isMetered(price));
  const lines = items.map(({ id, price, quantity = null }) => ({
    amount: priceAmount(unit, price, after.currency, quantity),
    product: price.product,
    item: id,
  }));
  const off = discountAmounts(lines, rebates);
  return new Map(
    items.map(({ id }, index) => [id, { amount: lines[index]?.amount ?? 0, discounts: off[index] ?? [] }] as const),
  );
}

function debitFor(item: SubscriptionItem, full: FullAmount | undefined, at: number): Proration[] {
  if (!full) return [];
  const period = { start: item.current_period_start, end: item.current_period_end };
  const net = full.discounts.reduce((rest, { amount }) => rest - amount, full.amount);
  const discounts = full.discounts.map(({ amount, discount }) => ({ amount: prorate(amount, period, at), discount }));
  return [
    { item, amount: prorate(net, period, at), period: { start: at, end: period.end }, credited: null, discounts },
  ];
}

/** Stores invoice items and emits their events: the next invoice of their subscription takes them. */
export function addInvoiceItems(unit: UnitOfWork, items: readonly InvoiceItem[]): void {
  for (const item of items) unit.create('invoiceitem', item, 'invoiceitem.created');
}

/** Returns the lines that wait for the next invoice of a subscription, oldest first. */
export function pendingLines(unit: UnitOfWork, subscription: Subscription): BilledLine[] {
  return pendingItems(unit, subscription).map(lineOfItem);
}

/**
 * Returns the items that wait for the next invoice of a subscription: its own, also behind a change that waits itself, and those
 * of its customer in its currency that are of none. Without a subscription, only these.
 */
export function pendingItems(
  unit: UnitOfWork,
  { id, customer, currency }: { id: string | null; customer: string; currency: string },
): InvoiceItem[] {
  const waiting = unit.tables.pending_change.get(id ?? '')?.waiting ?? [];
  return unit.tables.invoiceitem
    .withField('customer', customer)
    .filter(item => {
      const of = item.parent?.subscription_details.subscription ?? null;
      const isTaken = of === null ? item.currency === currency : of === id;
      return isTaken && (item.invoice === null || waiting.includes(item.id));
    })
    .toReversed();
}

/** Records what an invoice debits for the periods of subscription items. */
export function recordDebits(unit: UnitOfWork, invoice: Invoice): void {
  for (const { id, amount: gross, discount_amounts: off, period, parent } of invoice.lines.data) {
    const details = parent?.subscription_item_details;
    if (!details || details.proration) continue;
    const invoice_line_item_details = { invoice: invoice.id, invoice_line_items: [id] };
    const amount = off.reduce((rest, one) => rest - one.amount, gross);
    const source: CreditedItems = { type: 'invoice_line_items', invoice_line_item_details };
    unit.tables.last_debit.put({ id: details.subscription_item, amount, period, source });
  }
}

/** Records what the prorations of a change debit. Items that the subscription no longer has were credited for good. */
export function recordProrations(unit: UnitOfWork, after: Subscription, items: readonly InvoiceItem[]): void {
  const kept = new Set(after.items.data.map(({ id }) => id));
  for (const { id, amount, period, parent, proration_details } of items) {
    const item = parent?.subscription_details.subscription_item ?? '';
    const isCredit = Boolean(proration_details?.credited_items);
    if (!kept.has(item) || isCredit) unit.tables.last_debit.remove(item);
    if (isCredit) continue;
    unit.tables.last_debit.put({ id: item, amount, period, source: { type: 'invoice_item', invoice_item: id } });
  }
}
