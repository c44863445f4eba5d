import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { DiscountAmount } from '../domain/discounts.ts';
import { formatAmount, formatCadence } from '../domain/money.ts';
import type { Period } from '../domain/prorate.ts';
import { cadenceOf, currencyOptionsOf, isMetered, priceAmount, productName } from './price.ts';
import type { InvoiceItem, InvoiceLine, Price, Subscription } from './stored.ts';

/** The contents of one invoice line. `item` is the billed subscription item, if any. */
export interface BilledLine {
  price: Pick<Price, 'id' | 'product'>;
  quantity: number;
  /** The amount billed; 0 during a trial. */
  amount: number;
  /** The amount per unit as a decimal; null for a tiered price. */
  unitAmount: string | null;
  description: string | null;
  item: string | null;
  period: Period;
  /** The invoice item that it bills: a proration, or what is billed once; null for other lines. */
  source: InvoiceItem | null;
  /** What discounts take off the amount. */
  discounts: DiscountAmount[];
}

/** Returns the line that bills a price for one period; it is free during a trial. The quantity of a metered price is its usage. */
export function billedLine(
  unit: UnitOfWork,
  given: {
    price: Price;
    currency: string;
    quantity: number | null;
    item: string | null;
    period: Period;
    trial: boolean;
  },
): BilledLine {
  const { price, currency, item, period, trial } = given;
  const name = productName(unit, price);
  const amount = trial ? 0 : priceAmount(unit, price, currency, given.quantity);
  const quantity = given.quantity ?? (isMetered(price) ? 0 : 1);
  const unitAmount = currencyOptionsOf(unit, price)[currency]?.unit_amount_decimal ?? null;
  const cadence = cadenceOf(price);
  const rate = [
    ...(unitAmount === null ? [] : [`at ${formatAmount(Number(unitAmount), currency)}`]),
    ...(cadence ? [formatCadence(cadence.interval, cadence.count)] : []),
  ];
  const description = trial ? `Trial period for ${name}` : `${quantity} × ${name} (${rate.join(' ')})`;
  return { price, quantity, amount, unitAmount, description, item, period, source: null, discounts: [] };
}

/** Returns a line of an invoice or preview, without tax. */
export function newLine(
  unit: UnitOfWork,
  invoice: { id: string; currency: string; subscription: Subscription | null; isPreview?: boolean | undefined },
  line: BilledLine,
): InvoiceLine {
  const { source } = line;
  const of = source ? source.parent?.subscription_details.subscription : invoice.subscription?.id;
  const subscription = of ?? null;
  return {
    id: newId(invoice.isPreview ? 'il_tmp_1' : 'il_1'),
    object: 'line_item',
    amount: line.amount,
    currency: invoice.currency,
    description: line.description,
    discount_amounts: line.discounts,
    discountable: source?.discountable ?? true,
    discounts: line.discounts.map(({ discount }) => discount),
    invoice: invoice.id,
    livemode: unit.livemode,
    metadata: (source?.proration === false ? source.metadata : invoice.subscription?.metadata) ?? {},
    parent: parentOf(line, subscription),
    period: line.period,
    pretax_credit_amounts: line.discounts.map(one => ({ ...one, type: 'discount' })),
    pricing: {
      price_details: { price: line.price.id, product: line.price.product },
      type: 'price_details',
      unit_amount_decimal: line.unitAmount,
    },
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription,
    subtotal: line.amount,
    taxes: [],
  };
}

/** Returns what a line comes from: an item of a subscription, or an invoice item alone. */
function parentOf({ item, source }: BilledLine, subscription: string | null): InvoiceLine['parent'] {
  const details = {
    proration: source?.proration ?? false,
    proration_details: { credited_items: creditedLines(source) },
    subscription,
  };
  if (item !== null) {
    const of = { ...details, invoice_item: source?.id ?? null, subscription_item: item };
    return { invoice_item_details: null, subscription_item_details: of, type: 'subscription_item_details' };
  }
  if (!source) return null;
  const of = { ...details, invoice_item: source.id };
  return { invoice_item_details: of, subscription_item_details: null, type: 'invoice_item_details' };
}

/** Returns what a proration credits as lines show it: only what is on an invoice. */
function creditedLines(source: InvoiceItem | null) {
  return source?.proration_details?.credited_items?.invoice_line_item_details ?? null;
}
