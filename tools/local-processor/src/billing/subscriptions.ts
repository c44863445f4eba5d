import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { periodAt } from '../domain/periods.ts';
import { customerOrNull } from '../objects/finding.ts';
import { billedLine } from '../objects/invoice-line.ts';
import { type Billed, currentPeriod, itemsIn, newSubscription, subscriptionCadence } from '../objects/subscription.ts';
import type { Customer, Discount, Invoice, PaymentIntent, PaymentMethod, Subscription } from '../objects/stored.ts';
import { collectDraft } from './collection.ts';
import { discounted, dropSpentDiscounts, rebatesOf, storeDiscounts } from './discounts.ts';
import { dropPendingChange } from './pending-changes.ts';
import { collectInvoice, draftInvoice, openInvoice } from './invoicing.ts';
import { voidInvoice } from './end-invoice.ts';
import { pendingLines, recordDebits } from './prorations.ts';
import { inPeriod, linesFor, nextPeriod } from './subscription-periods.ts';
import { type Attempt, outcomeOf } from './payments.ts';
import { endPhaseAt, endScheduleOf } from './subscription-schedules.ts';

const DAY_SECONDS = 86_400;

/** The time before the end of a trial at which the warning event is emitted. */
export const TRIAL_WARNING_SECONDS = 3 * DAY_SECONDS;

interface Start extends Pick<
  Subscription,
  'currency' | 'days_until_due' | 'default_payment_method' | 'description' | 'metadata' | 'trial_end'
> {
  customer: Customer;
  /** The recurring prices, and the one-time prices that the first invoice also bills. */
  lines: Billed[];
  /** The card that pays the first invoice; null leaves the invoice open. */
  card: PaymentMethod | null;
  automaticTax?: boolean;
  /** The discounts that it redeems; they are not stored. */
  discounts: Discount[];
  paymentIntent: PaymentIntent | null;
}

/**
 * Starts a subscription, bills its first period and emits all events. It is incomplete if an amount is due that the card
 * does not pay. (Stripe: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses)
 */
export function startSubscription(
  unit: UnitOfWork,
  start: Start,
): { subscription: Subscription; invoice: Invoice; attempt: Attempt | null } {
  const { customer, lines, card, automaticTax = false, discounts, paymentIntent, ...terms } = start;
  const { trial_end: trialEnd, days_until_due: daysUntilDue } = terms;
  const draft = newSubscription(unit, {
    ...terms,
    id: newId('sub_1'),
    customer: customer.id,
    items: lines.filter(({ price }) => price.type === 'recurring'),
    period: { start: unit.now, end: trialEnd ?? unit.now },
    automaticTax,
    latest_invoice: newId('in_1'),
    test_clock: customer.test_clock ?? null,
  });
  const own = discounts.map(discount => ({ ...discount, subscription: draft.id }));
  const ofItems = lines
    .flatMap(line => line.discounts ?? [])
    .map(discount => {
      const item = draft.items.data.find(one => one.discounts.includes(discount.id));
      return { ...discount, subscription: draft.id, subscription_item: item?.id ?? null };
    });
  const fresh = [...ofItems, ...own];
  const period = trialEnd === null ? periodAt(unit.now, subscriptionCadence(draft), unit.now) : currentPeriod(draft);
  const begun = { ...draft, items: itemsIn(draft, period), discounts: own.map(({ id }) => id) };
  const billed = [...linesFor(unit, begun, period), ...oneTimeLines(unit, start)];
  const invoice = openInvoice(unit, {
    id: String(begun.latest_invoice),
    customer,
    subscription: begun,
    reason: 'subscription_create',
    currency: begun.currency,
    lines: discounted(billed, rebatesOf(unit, begun, unit.now, fresh)),
    period: { start: unit.now, end: unit.now },
    paymentIntent,
  });
  recordDebits(unit, invoice);
  const outcome = card && outcomeOf(unit, card);
  const unpaid = invoice.amount_due > 0 && daysUntilDue === null && outcome !== 'pays';
  const created: Subscription = unpaid ? { ...begun, status: 'incomplete' } : begun;
  unit.create('subscription', created, 'customer.subscription.created');
  storeDiscounts(unit, fresh);
  const subscription = dropSpentDiscounts(unit, created, invoice);
  const isCollected = outcome !== null || invoice.amount_due === 0;
  const collected = isCollected ? collectInvoice(unit, invoice, card, outcome ?? 'pays') : null;
  if (trialEnd !== null && trialEnd - unit.now <= TRIAL_WARNING_SECONDS)
    unit.emit('customer.subscription.trial_will_end', subscription);
  return { subscription, invoice: collected?.invoice ?? invoice, attempt: collected?.attempt ?? null };
}

/**
 * Starts the next period of a subscription and bills it. A trial ends. A subscription that cancels at its period end ends
 * instead. The payment fails if `declined` is true or the card is set to decline.
 */
export function renewSubscription(unit: UnitOfWork, current: Subscription, at: number, declined = false): Subscription {
  const subscription = dropPendingChange(unit, endPhaseAt(unit, current, at));
  if (subscription.cancel_at_period_end) return endSubscription(unit, subscription, 'cancellation_requested');
  const last = currentPeriod(subscription);
  const next = nextPeriod(subscription, at);
  const changes = { ...subscription, ...inPeriod(subscription, next, at) };
  if (subscription.status === 'unpaid') return unit.update('subscription', current, changes);
  const id = newId('in_1');
  const renewed = unit.update('subscription', current, { ...changes, latest_invoice: id });
  const lines = [...pendingLines(unit, renewed), ...linesFor(unit, renewed, next)];
  const draft = draftInvoice(unit, {
    id,
    customer: customerOrNull(unit, renewed.customer),
    subscription: renewed,
    reason: 'subscription_cycle',
    currency: renewed.currency,
    lines: discounted(lines, rebatesOf(unit, renewed, next.start)),
    period: { start: last.start, end: at },
  });
  recordDebits(unit, draft);
  return collectDraft(unit, dropSpentDiscounts(unit, renewed, draft), draft, declined);
}

/** Ends a subscription now: cancels it, stops collecting its open invoices and emits the events. */
export function endSubscription(
  unit: UnitOfWork,
  subscription: Subscription,
  reason: 'cancellation_requested' | 'payment_failed',
): Subscription {
  dropPendingChange(unit, subscription);
  const details = subscription.cancellation_details ?? { comment: null, feedback: null, feedback_option: null };
  const changes: Partial<Subscription> = {
    pending_update: null,
    status: 'canceled',
    canceled_at: subscription.canceled_at ?? unit.now,
    ended_at: unit.now,
    cancellation_details: { ...details, reason },
  };
  const ended = unit.change('subscription', subscription, changes, 'customer.subscription.deleted');
  endScheduleOf(unit, ended);
  stopCollecting(unit, ended);
  return ended;
}

/** Ends the retries for a past-due subscription, which is canceled or becomes unpaid. */
export function stopRetrying(
  unit: UnitOfWork,
  subscription: Subscription,
  outcome: 'canceled' | 'unpaid',
): Subscription {
  if (outcome === 'canceled') return endSubscription(unit, subscription, 'payment_failed');
  stopCollecting(unit, subscription);
  return unit.update('subscription', subscription, { status: 'unpaid' });
}

/** Ends an incomplete subscription whose first invoice was not paid in time, and voids the invoice. */
export function expireIncomplete(unit: UnitOfWork, subscription: Subscription): Subscription {
  const invoice = unit.tables.invoice.get(String(subscription.latest_invoice));
  if (invoice?.status === 'open') voidInvoice(unit, invoice);
  return unit.update('subscription', subscription, { status: 'incomplete_expired', ended_at: unit.now });
}

/** Pauses a subscription, as the end of a trial without a card does. Nothing is billed until it is resumed. */
export function pauseSubscription(unit: UnitOfWork, subscription: Subscription): Subscription {
  const paused = unit.update('subscription', subscription, { status: 'paused' });
  unit.emit('customer.subscription.paused', paused);
  return paused;
}

function stopCollecting(unit: UnitOfWork, subscription: Subscription): void {
  for (const invoice of unit.tables.invoice.withField('customer', subscription.customer)) {
    const billed = invoice.parent?.subscription_details.subscription;
    if (invoice.status !== 'open' || billed !== subscription.id) continue;
    unit.update('invoice', invoice, { auto_advance: false, next_payment_attempt: null });
  }
}

function oneTimeLines(unit: UnitOfWork, { lines, currency }: Start) {
  const period = { start: unit.now, end: unit.now };
  return lines
    .filter(({ price }) => price.type === 'one_time')
    .map(({ price, quantity }) => billedLine(unit, { price, currency, quantity, item: null, period, trial: false }));
}
