import { collectFor, updateStatusFrom } from '../billing/collection.ts';
import { renewSubscription, startSubscription } from '../billing/subscriptions.ts';
import { markPaid } from '../billing/invoicing.ts';
import { periodStart } from '../domain/periods.ts';
import { customerOrNull } from '../objects/customer.ts';
import { isMetered } from '../objects/price.ts';
import { cadenceOf, currencyOptionsOf } from '../objects/price.ts';
import { currentPeriod, hasEnded } from '../objects/subscription.ts';
import type { Customer, PaymentMethod, Price, Subscription } from '../objects/stored.ts';
import type { PastUnit } from './past-unit.ts';
import type { Random } from './random.ts';

export const HOUR = 3_600;
export const DAY = 24 * HOUR;
const MONTHLY = { interval: 'month', count: 1 } as const;

/** A customer whose subscription is to be told, until a moment in Unix seconds. */
export interface Subscriber {
  readonly unit: PastUnit;
  readonly random: Random;
  readonly until: number;
  readonly customer: Customer;
  readonly card: PaymentMethod;
  readonly price: Price;
  readonly metadata: Record<string, string>;
}

interface Beginning {
  /** In days; 0 for none. */
  readonly trialDays?: number;
  readonly hasCard?: boolean;
  /** Sends invoices instead of charging the card. */
  readonly daysUntilDue?: number | null;
}

/** Returns when a subscription began whose newest period began `agoSeconds` ago, after `renewals` renewals. */
export const beginningOf = ({ price, until }: Subscriber, renewals: number, agoSeconds: number): number =>
  periodStart(until - agoSeconds, cadenceOf(price) ?? MONTHLY, -renewals);

/** Returns how often a subscription was renewed: few were very often. */
export function drawRenewals({ random, price }: Subscriber): number {
  const most = cadenceOf(price)?.interval === 'year' ? 2 : 11;
  let renewals = 0;
  while (renewals < most && random.chance(0.68)) renewals += 1;
  return renewals;
}

/** Returns how long ago the newest period began, in seconds: somewhere within it. */
export function drawAge({ random, price, until }: Subscriber): number {
  const length = until - periodStart(until, cadenceOf(price) ?? MONTHLY, -1);
  return Math.floor(length * (0.05 + 0.85 * random.next()));
}

/** Starts the subscription at a time in Unix seconds. */
export function begin(subscriber: Subscriber, at: number, beginning: Beginning = {}): Subscription {
  const { unit, random, price, card, metadata } = subscriber;
  const { trialDays = 0, hasCard = true, daysUntilDue = null } = beginning;
  unit.now = at;
  const customer = customerOrNull(unit, subscriber.customer.id) ?? subscriber.customer;
  const currencies = Object.keys(currencyOptionsOf(unit, price));
  const currency = random.chance(0.8) ? price.currency : (currencies.at(-1) ?? price.currency);
  const quantity = isMetered(price)
    ? null
    : random.pick([
        [1, 80],
        [2, 8],
        [random.between(3, 60), 12],
      ]);
  const { subscription } = startSubscription(unit, {
    customer,
    lines: [{ price, quantity }],
    currency: customer.currency ?? currency,
    description: null,
    metadata,
    trialEnd: trialDays === 0 ? null : at + trialDays * DAY,
    paymentMethod: hasCard && random.chance(0.3) ? card.id : null,
    card: hasCard && daysUntilDue === null ? card : null,
    daysUntilDue,
    paymentIntent: null,
  });
  return payLater(subscriber, subscription, at);
}

/** Renews the subscription as often as its periods ended until a time, and tries failed payments again. */
export function liveUntil(subscriber: Subscriber, begun: Subscription, time: number): Subscription {
  const { unit } = subscriber;
  let subscription = begun;
  for (;;) {
    const { end } = currentPeriod(subscription);
    const retryAt = nextAttempt(unit, subscription) ?? Infinity;
    const at = Math.min(end, retryAt);
    if (at > time || hasEnded(subscription)) return subscription;
    unit.now = at;
    subscription =
      retryAt < end ? retry(unit, subscription) : payLater(subscriber, renewSubscription(unit, subscription, end), end);
  }
}

/** Has the card of the customer decline every later payment. */
export function breakCard({ unit, card }: Subscriber): void {
  unit.tables.declining_card.put({ id: card.id });
}

/** Returns whether a payment is tried again, and when, in Unix seconds. */
const nextAttempt = (unit: PastUnit, { latest_invoice: latest }: Subscription): number | null =>
  unit.tables.invoice.get(String(latest))?.next_payment_attempt ?? null;

function retry(unit: PastUnit, subscription: Subscription): Subscription {
  const invoice = unit.tables.invoice.get(String(subscription.latest_invoice));
  return invoice ? collectFor(unit, subscription, invoice) : subscription;
}

/** Pays an invoice that was sent to the customer, by bank transfer some days later. */
function payLater({ unit, until }: Subscriber, subscription: Subscription, at: number): Subscription {
  const invoice = unit.tables.invoice.get(String(subscription.latest_invoice));
  const paidAt = at + 9 * DAY;
  if (invoice?.status !== 'open' || invoice.collection_method !== 'send_invoice' || paidAt > until) return subscription;
  unit.now = paidAt;
  return updateStatusFrom(unit, subscription, markPaid(unit, invoice, null));
}
