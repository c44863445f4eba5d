/** Objects as the processor puts them into its events, in the shape of two API versions. */

export type PayloadShape = 'old' | 'new';

export interface SubscriptionPayload {
  readonly id: string;
  readonly customer: string;
  readonly status: string;
  readonly priceId: string;
  readonly unitAmount: number | null;
  readonly quantity: number;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelAt: Date | null;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly trialEnd: Date | null;
  readonly endedAt: Date | null;
  readonly metadata: Record<string, string>;
  readonly createdAt: Date;
  /** Further fields of the price. */
  readonly price: Readonly<Record<string, unknown>>;
  /** Further fields of the subscription. */
  readonly more: Readonly<Record<string, unknown>>;
}

export const BASE_TIME = new Date('2026-11-01T00:00:00Z');
const MONTH_MS = 30 * 86_400_000;

/** A monthly subscription of 29.99 usd. */
export function aSubscription(changes: Partial<SubscriptionPayload> = {}): SubscriptionPayload {
  return {
    id: 'sub_1',
    customer: 'cus_1',
    status: 'active',
    priceId: 'price_1',
    unitAmount: 2_999,
    quantity: 1,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    periodStart: BASE_TIME,
    periodEnd: new Date(BASE_TIME.getTime() + MONTH_MS),
    trialEnd: null,
    endedAt: null,
    metadata: {},
    createdAt: BASE_TIME,
    price: {},
    more: {},
    ...changes,
  };
}

/** API versions before 2025-03-31 have the period on the subscription, later ones on its items. */
export function subscriptionObject(it: SubscriptionPayload, shape: PayloadShape = 'new'): Record<string, unknown> {
  const period = { current_period_start: seconds(it.periodStart), current_period_end: seconds(it.periodEnd) };
  const price = {
    id: it.priceId,
    object: 'price',
    product: 'prod_1',
    unit_amount: it.unitAmount,
    currency: 'usd',
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    type: 'recurring',
    active: true,
    metadata: {},
    created: seconds(it.createdAt),
    ...it.price,
  };
  const item = { id: 'si_1', object: 'subscription_item', price, quantity: it.quantity };
  return {
    id: it.id,
    object: 'subscription',
    customer: it.customer,
    status: it.status,
    cancel_at_period_end: it.cancelAtPeriodEnd,
    cancel_at: orNull(it.cancelAt),
    items: { object: 'list', data: [shape === 'new' ? { ...item, ...period } : item] },
    start_date: seconds(it.createdAt),
    trial_end: orNull(it.trialEnd),
    ended_at: orNull(it.endedAt),
    default_payment_method: null,
    metadata: it.metadata,
    created: seconds(it.createdAt),
    ...it.more,
    ...(shape === 'old' && period),
  };
}

export interface InvoicePayload {
  readonly id: string;
  readonly customer: string;
  readonly subscription: string | null;
  readonly status: string;
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly number: string | null;
  readonly createdAt: Date;
}

/** An open invoice of 29.99 usd. */
export function anInvoice(changes: Partial<InvoicePayload> = {}): InvoicePayload {
  return {
    id: 'in_1',
    customer: 'cus_1',
    subscription: 'sub_1',
    status: 'open',
    amountDue: 2_999,
    amountPaid: 0,
    number: 'INV-0001',
    createdAt: BASE_TIME,
    ...changes,
  };
}

/** API versions before 2025-03-31 have the subscription on the invoice, later ones in its parent. */
export function invoiceObject(it: InvoicePayload, shape: PayloadShape = 'new'): Record<string, unknown> {
  const link =
    shape === 'old'
      ? { subscription: it.subscription }
      : { parent: it.subscription && { subscription_details: { subscription: it.subscription, metadata: {} } } };
  return {
    id: it.id,
    object: 'invoice',
    customer: it.customer,
    ...link,
    metadata: {},
    number: it.number,
    status: it.status,
    amount_due: it.amountDue,
    amount_paid: it.amountPaid,
    amount_remaining: it.amountDue - it.amountPaid,
    currency: 'usd',
    billing_reason: 'subscription_cycle',
    hosted_invoice_url: `https://invoice.stripe.com/i/${it.id}`,
    invoice_pdf: `https://pay.stripe.com/invoice/${it.id}/pdf`,
    period_start: seconds(it.createdAt),
    period_end: seconds(it.createdAt),
    due_date: null,
    status_transitions: { paid_at: it.status === 'paid' ? seconds(it.createdAt) : null },
    created: seconds(it.createdAt),
  };
}

/** A payment intent of 29.99 usd. */
export function paymentIntentObject(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'pi_1',
    object: 'payment_intent',
    amount: 2_999,
    currency: 'usd',
    customer: 'cus_1',
    last_payment_error: null,
    metadata: {},
    created: seconds(BASE_TIME),
    ...changes,
  };
}

/** A charge of 29.99 usd. */
export function chargeObject(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'ch_1',
    object: 'charge',
    amount: 2_999,
    amount_refunded: 0,
    currency: 'usd',
    customer: 'cus_1',
    status: 'succeeded',
    failure_code: null,
    payment_intent: 'pi_1',
    metadata: {},
    created: seconds(BASE_TIME),
    ...changes,
  };
}

/** A refund of 10.00 usd. */
export function refundObject(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const payment = { charge: 'ch_1', payment_intent: 'pi_1' };
  return { id: 're_1', object: 'refund', amount: 1_000, currency: 'usd', status: 'succeeded', ...payment, ...changes };
}

/** A dispute of the whole payment. */
export function disputeObject(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const payment = { charge: 'ch_1', payment_intent: 'pi_1' };
  const amount = { amount: 2_999, currency: 'usd' };
  return { id: 'du_1', object: 'dispute', ...amount, status: 'needs_response', ...payment, ...changes };
}

/** `count` seconds after the start of the payloads. */
export const after = (count: number) => new Date(BASE_TIME.getTime() + count * 1_000);

const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);
const orNull = (date: Date | null) => date && seconds(date);
