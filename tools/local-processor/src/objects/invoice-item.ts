import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { DiscountAmount } from '../domain/discounts.ts';
import type { Period } from '../domain/prorate.ts';
import type { BilledLine } from './invoice-line.ts';
import { currencyOptionsOf, productName } from './price.ts';
import type { CreditedItems, InvoiceItem, Subscription, SubscriptionItem } from './stored.ts';

type NewItem = Omit<
  InvoiceItem,
  | 'id'
  | 'object'
  | 'customer_account'
  | 'date'
  | 'discounts'
  | 'invoice'
  | 'livemode'
  | 'quantity_decimal'
  | 'tax_rates'
>;

/** Returns an invoice item that is pending until an invoice takes it. */
export const newInvoiceItem = (unit: UnitOfWork, given: NewItem): InvoiceItem => ({
  ...given,
  id: newId('ii_1'),
  object: 'invoiceitem',
  customer_account: null,
  date: unit.now,
  discounts: [],
  invoice: null,
  livemode: unit.livemode,
  quantity_decimal: String(given.quantity),
  tax_rates: [],
});

/** A line of a change within a period: what was debited before is credited, and what is left of the period is debited. */
export interface Proration {
  item: SubscriptionItem;
  /** Negative for a credit. In the currency's smallest unit, discounts included. */
  amount: number;
  /** What is left of the period. */
  period: Period;
  /** What a credit takes back; null for a debit. */
  credited: CreditedItems | null;
  /** What discounts have taken off. */
  discounts: DiscountAmount[];
}

/** Returns an invoice item for a proration. */
export function prorationItem(unit: UnitOfWork, subscription: Subscription, given: Proration): InvoiceItem {
  const { item, amount, period, credited } = given;
  const { currency } = subscription;
  return newInvoiceItem(unit, {
    amount,
    currency,
    customer: subscription.customer,
    description: descriptionOf(unit, given),
    // The amount already contains the discounts.
    discountable: false,
    metadata: subscription.metadata,
    net_amount: amount,
    parent: {
      subscription_details: { subscription: subscription.id, subscription_item: item.id },
      type: 'subscription_details',
    },
    period,
    pricing: {
      price_details: { price: item.price.id, product: item.price.product },
      type: 'price_details',
      unit_amount_decimal: currencyOptionsOf(unit, item.price)[currency]?.unit_amount_decimal ?? null,
    },
    proration: true,
    proration_details: { credited_items: credited, discount_amounts: given.discounts },
    quantity: item.quantity ?? 1,
    test_clock: subscription.test_clock,
  });
}

/** Returns the line of an invoice that an item becomes. */
export function lineOfItem(item: InvoiceItem): BilledLine {
  const { price, product } = item.pricing.price_details;
  return {
    price: { id: price, product },
    quantity: item.quantity,
    amount: item.amount,
    unitAmount: item.pricing.unit_amount_decimal,
    description: item.description,
    item: item.parent?.subscription_details.subscription_item ?? null,
    period: item.period,
    source: item,
    discounts: [],
  };
}

function descriptionOf(unit: UnitOfWork, { item, period, credited }: Proration): string {
  const { quantity = 1 } = item;
  const name = productName(unit, item.price);
  const what = quantity === 1 ? name : `${quantity} × ${name}`;
  return `${credited ? 'Unused' : 'Remaining'} time on ${what} after ${dayOf(period.start)}`;
}

/** Returns the day of a moment in Unix seconds: "01 Sep 2020". */
const dayOf = (seconds: number): string => new Date(seconds * 1000).toUTCString().slice(5, 16);
