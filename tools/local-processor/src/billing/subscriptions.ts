import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { periodAt } from '../domain/periods.ts';
import { customerOrNull } from '../objects/customer.ts';
import { billedLine } from '../objects/invoice.ts';
import { currentPeriod, hasEnded, itemsIn, newSubscription, subscriptionCadence } from '../objects/subscription.ts';
import type { Customer, Invoice, LineItem, PaymentIntent, PaymentMethod, Subscription } from '../objects/stored.ts';
import { collectInvoice, openInvoice } from './invoicing.ts';
import { isDeclining } from './payments.ts';

const DAY_SECONDS = 86_400;

/** The time before the end of a trial at which the warning event is emitted. */
export const TRIAL_WARNING_SECONDS = 3 * DAY_SECONDS;

interface Start {
  customer: Customer;
  lines: LineItem[];
  description: string | null;
  metadata: Record<string, string>;
  trialDays: number | null;
  card: PaymentMethod;
  paymentIntent: PaymentIntent | null;
}

/** Starts a subscription whose first payment succeeds, or whose trial needs none, and emits all events. */
export function startSubscription(unit: UnitOfWork, start: Start): { subscription: Subscription; invoice: Invoice } {
  const recurring = start.lines.filter(({ price }) => price.type === 'recurring');
  const trialEnd = start.trialDays === null ? null : unit.now + start.trialDays * DAY_SECONDS;
  const subscription = newSubscription(unit, {
    id: newId('sub_1'),
    customer: start.customer.id,
    currency: recurring[0]?.currency ?? 'usd',
    description: start.description,
    metadata: start.metadata,
    paymentMethod: start.card.id,
    items: recurring.map(({ price, quantity }) => ({ price, quantity })),
    period: { start: unit.now, end: trialEnd ?? unit.now },
    trialEnd,
    latestInvoice: newId('in_1'),
  });
  const period =
    trialEnd === null ? periodAt(unit.now, subscriptionCadence(subscription), unit.now) : currentPeriod(subscription);
  const inPeriod = { ...subscription, items: itemsIn(subscription, period) };
  const invoice = openInvoice(unit, {
    id: String(inPeriod.latest_invoice),
    customer: start.customer,
    subscription: inPeriod,
    reason: 'subscription_create',
    currency: inPeriod.currency,
    lines: [...linesFor(unit, inPeriod, period), ...oneTimeLines(unit, start.lines)],
    period: { start: unit.now, end: unit.now },
    metadata: {},
    usesBalance: true,
    paymentIntent: start.paymentIntent,
  });
  unit.create('subscription', inPeriod);
  unit.emit('customer.subscription.created', inPeriod);
  const { invoice: paid } = collectInvoice(unit, invoice, start.card, false);
  if (trialEnd !== null && trialEnd - unit.now <= TRIAL_WARNING_SECONDS)
    unit.emit('customer.subscription.trial_will_end', inPeriod);
  return { subscription: inPeriod, invoice: paid };
}

/**
 * Starts the next period of a subscription and bills it. A trial ends. A subscription that cancels at its period end ends
 * instead. The payment fails if `declined` is true or the card is set to decline.
 */
export function renewSubscription(
  unit: UnitOfWork,
  subscription: Subscription,
  at: number,
  declined = false,
): Subscription {
  if (subscription.cancel_at_period_end) return endSubscription(unit, subscription, 'cancellation_requested');
  const trialing = subscription.status === 'trialing';
  const last = currentPeriod(subscription);
  const anchor = at === last.end ? subscription.billing_cycle_anchor : at;
  const next = periodAt(Math.min(anchor, at), subscriptionCadence(subscription), at);
  const changes: Partial<Subscription> = {
    items: itemsIn(subscription, next),
    billing_cycle_anchor: Math.min(anchor, at),
    ...(trialing ? { status: 'active', trial_end: at } : {}),
  };
  if (subscription.status === 'unpaid')
    return unit.update('subscription', subscription, changes, 'customer.subscription.updated');
  const id = newId('in_1');
  const renewed = unit.update(
    'subscription',
    subscription,
    { ...changes, latest_invoice: id },
    'customer.subscription.updated',
  );
  const invoice = openInvoice(unit, {
    id,
    customer: customerOrNull(unit, renewed.customer),
    subscription: renewed,
    reason: 'subscription_cycle',
    currency: renewed.currency,
    lines: linesFor(unit, renewed, next),
    period: { start: last.start, end: at },
    metadata: {},
    usesBalance: true,
    paymentIntent: null,
  });
  return collectFor(unit, renewed, invoice, declined);
}

/** Collects an invoice of a subscription, whose status becomes active if it is paid and past due if it is not. */
export function collectFor(
  unit: UnitOfWork,
  subscription: Subscription,
  invoice: Invoice,
  declined = false,
): Subscription {
  const card = cardFor(unit, subscription);
  const result = collectInvoice(unit, invoice, card, declined || (card !== null && isDeclining(unit, card.id)));
  return updateStatusFrom(unit, subscription, result.invoice);
}

/** Updates a subscription's status from its newest invoice; other invoices change nothing. */
export function updateStatusFrom(unit: UnitOfWork, subscription: Subscription, invoice: Invoice): Subscription {
  if (hasEnded(subscription) || subscription.latest_invoice !== invoice.id) return subscription;
  const status = invoice.status === 'paid' ? 'active' : subscription.status === 'unpaid' ? 'unpaid' : 'past_due';
  return unit.update('subscription', subscription, { status }, 'customer.subscription.updated');
}

/** Ends a subscription now: cancels it, stops collecting its open invoices and emits the events. */
export function endSubscription(
  unit: UnitOfWork,
  subscription: Subscription,
  reason: 'cancellation_requested' | 'payment_failed',
): Subscription {
  const details = subscription.cancellation_details ?? { comment: null, feedback: null, feedback_option: null };
  const ended = unit.update('subscription', subscription, {
    status: 'canceled',
    canceled_at: subscription.canceled_at ?? unit.now,
    ended_at: unit.now,
    cancellation_details: { ...details, reason },
  });
  unit.emit('customer.subscription.deleted', ended);
  stopCollecting(unit, ended);
  return ended;
}

/** Ends the retries for a past-due subscription, which becomes canceled or unpaid. */
export function stopRetrying(
  unit: UnitOfWork,
  subscription: Subscription,
  outcome: 'canceled' | 'unpaid',
): Subscription {
  if (outcome === 'canceled') return endSubscription(unit, subscription, 'payment_failed');
  stopCollecting(unit, subscription);
  return unit.update('subscription', subscription, { status: 'unpaid' }, 'customer.subscription.updated');
}

/** Pauses a subscription, as the end of a trial without a card does. Nothing is billed until it is resumed. */
export function pauseSubscription(unit: UnitOfWork, subscription: Subscription): Subscription {
  const paused = unit.update('subscription', subscription, { status: 'paused' }, 'customer.subscription.updated');
  unit.emit('customer.subscription.paused', paused);
  return paused;
}

/** Resumes a paused subscription: starts and bills a new period. */
export function resumeSubscription(unit: UnitOfWork, subscription: Subscription): Subscription {
  const resumed = unit.update('subscription', subscription, { status: 'active' });
  unit.emit('customer.subscription.resumed', resumed);
  return renewSubscription(unit, resumed, unit.now);
}

function stopCollecting(unit: UnitOfWork, subscription: Subscription): void {
  for (const invoice of unit.tables.invoice.withField('customer', subscription.customer)) {
    const billed = invoice.parent?.subscription_details.subscription;
    if (invoice.status !== 'open' || billed !== subscription.id) continue;
    unit.update('invoice', invoice, { auto_advance: false, next_payment_attempt: null }, 'invoice.updated');
  }
}

/** Returns the card of a subscription: its own, else the customer's default. */
export function cardFor(unit: UnitOfWork, subscription: Subscription): PaymentMethod | null {
  const customer = customerOrNull(unit, subscription.customer);
  const id = subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method;
  return typeof id === 'string' ? (unit.tables.payment_method.get(id) ?? null) : null;
}

function linesFor(unit: UnitOfWork, subscription: Subscription, period: { start: number; end: number }) {
  const trial = subscription.status === 'trialing';
  return subscription.items.data.map(({ id, price, quantity }) =>
    billedLine(unit, { price, quantity, item: id, period, trial }),
  );
}

function oneTimeLines(unit: UnitOfWork, lines: readonly LineItem[]) {
  const period = { start: unit.now, end: unit.now };
  return lines
    .filter(({ price }) => price.type === 'one_time')
    .map(({ price, quantity }) => billedLine(unit, { price, quantity, item: null, period, trial: false }));
}
