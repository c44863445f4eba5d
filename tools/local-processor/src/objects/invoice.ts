import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { amountDue } from '../domain/amount-due.ts';
import type { DiscountAmount } from '../domain/discounts.ts';
import type { Period } from '../domain/prorate.ts';
import { type BilledLine, newLine } from './invoice-line.ts';
import { nulls } from './nulls.ts';
import type { Customer, Invoice, Subscription } from './stored.ts';

const DAY_SECONDS = 86_400;

export interface NewInvoice {
  id: string;
  customer: Customer | null;
  subscription: Subscription | null;
  reason: NonNullable<Invoice['billing_reason']>;
  currency: string;
  lines: BilledLine[];
  /** The billing period before the invoice. */
  period: Period;
  metadata?: Stripe.Metadata;
  /** Of an invoice that is sent; those of its subscription unless given. */
  daysUntilDue?: number | undefined;
  /** What it has of its own, and not of its customer or subscription. */
  own?: Partial<Invoice>;
  /** Whether tax is computed; as its subscription says unless given. */
  automaticTax?: boolean;
  /** True for an invoice that is only shown: its lines are not there either. */
  isPreview?: boolean;
}

/** Returns the id of the subscription that an invoice bills. */
export const subscriptionOf = (invoice: Invoice): string | undefined =>
  invoice.parent?.subscription_details.subscription;

/** Returns an invoice with what is due of it and the balance that it leaves; without a balance, it is due as a whole. */
export function settled(invoice: Invoice, balance: number | null): Invoice {
  const { total, currency } = invoice;
  const { due, endingBalance } =
    balance === null ? { due: Math.max(0, total), endingBalance: 0 } : amountDue(total, balance, currency);
  return {
    ...invoice,
    starting_balance: balance ?? 0,
    ending_balance: endingBalance,
    amount_due: due,
    amount_remaining: due,
  };
}

/** Returns whether Stripe computes the tax of an invoice, which `taxed` then does. */
export const automaticTaxOf = (enabled: boolean): Invoice['automatic_tax'] =>
  enabled
    ? { disabled_reason: null, enabled, liability: { type: 'self' }, provider: 'stripe', status: null }
    : { disabled_reason: null, enabled, liability: null, provider: null, status: null };

/** Returns what an invoice copies of its customer, until it is finalized. */
export const billedTo = (unit: UnitOfWork, customer: Customer | null) =>
  ({
    customer_address: customer?.address ?? null,
    customer_email: customer?.email ?? null,
    customer_name: customer?.business_name ?? customer?.name ?? null,
    customer_phone: customer?.phone ?? null,
    customer_tax_exempt: customer?.tax_exempt ?? 'none',
    customer_tax_ids: customer
      ? unit.tables.tax_id.withField('customer', customer.id).map(({ type, value }) => ({ type, value }))
      : [],
  }) satisfies Partial<Invoice>;

/** Returns a draft invoice, without tax and what is due of it. */
export function newInvoice(unit: UnitOfWork, given: NewInvoice): Invoice {
  const { id, customer, subscription } = given;
  const daysUntilDue = given.daysUntilDue ?? subscription?.days_until_due ?? null;
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Local processor',
    ...nulls('account_tax_ids application automatically_finalizes_at customer_account'),
    ...nulls('customer_shipping default_payment_method default_source effective_at ending_balance'),
    ...nulls('footer from_invoice hosted_invoice_url invoice_pdf last_finalization_error latest_revision'),
    ...nulls('next_payment_attempt number on_behalf_of receipt_number rendering shipping_cost shipping_details'),
    ...nulls('statement_descriptor'),
    amount_due: 0,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: 0,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: automaticTaxOf(given.automaticTax ?? subscription?.automatic_tax.enabled ?? false),
    billing_reason: given.reason,
    collection_method: daysUntilDue === null ? 'charge_automatically' : 'send_invoice',
    created: unit.now,
    currency: given.currency,
    customer: customer?.id ?? null,
    ...billedTo(unit, customer),
    custom_fields: customer?.invoice_settings.custom_fields ?? null,
    default_tax_rates: [],
    description: subscription?.description ?? null,
    due_date: daysUntilDue === null ? null : unit.now + daysUntilDue * DAY_SECONDS,
    issuer: { type: 'self' },
    livemode: unit.livemode,
    metadata: given.metadata ?? {},
    parent: subscription && {
      quote_details: null,
      subscription_details: {
        metadata: subscription.metadata,
        subscription: subscription.id,
        ...prorationDateOf(given.lines),
      },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: given.period.end,
    period_start: given.period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    test_clock: customer?.test_clock ?? subscription?.test_clock ?? null,
    webhooks_delivered_at: unit.now,
    ...summedUp(unit, given),
    ...given.own,
  };
}

/** Returns what an invoice says of its lines: themselves, and their sums without tax. */
export function summedUp(
  unit: UnitOfWork,
  given: Pick<NewInvoice, 'id' | 'currency' | 'lines' | 'subscription' | 'isPreview'>,
) {
  const subtotal = given.lines.reduce((sum, line) => sum + line.amount, 0);
  const off = sumByDiscount(given.lines);
  const total = off.reduce((sum, { amount }) => sum - amount, subtotal);
  return {
    discounts: off.map(({ discount }) => discount),
    lines: {
      object: 'list',
      data: given.lines.map(line => newLine(unit, given, line)),
      has_more: false,
      url: `/v1/invoices/${given.id}/lines`,
    },
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_discount_amounts: off,
    total_excluding_tax: total,
    total_pretax_credit_amounts: off.map(one => ({ ...one, type: 'discount' })),
    total_taxes: [],
  } satisfies Partial<Invoice>;
}

/** Returns what each discount takes off all lines. */
function sumByDiscount(lines: readonly BilledLine[]): DiscountAmount[] {
  const sums = new Map<string, number>();
  for (const { discount, amount } of lines.flatMap(({ discounts }) => discounts))
    sums.set(discount, (sums.get(discount) ?? 0) + amount);
  return [...sums].map(([discount, amount]) => ({ amount, discount }));
}

/** Returns the moment from which the lines prorate a change. */
function prorationDateOf(lines: readonly BilledLine[]): { subscription_proration_date?: number } {
  const last = lines.findLast(({ source }) => source?.proration);
  return last ? { subscription_proration_date: last.period.start } : {};
}
