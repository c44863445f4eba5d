import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { customerOrNull } from '../objects/finding.ts';
import { currentPeriod } from '../objects/subscription.ts';
import type { Invoice, PaymentIntent, PaymentMethod, Subscription } from '../objects/stored.ts';
import { collectDraft } from './collection.ts';
import { discounted, dropSpentDiscounts, rebatesOf, storeDiscounts } from './discounts.ts';
import { voidInvoice } from './end-invoice.ts';
import type { FirstInvoice } from './first-invoice.ts';
import { collectInvoice, draftInvoice, finalizeInvoice } from './invoicing.ts';
import { type Attempt, cardFor, outcomeOf } from './payments.ts';
import { dropPendingChange } from './pending-changes.ts';
import { addInvoiceItems, pendingLines, recordDebits } from './prorations.ts';
import { inPeriod, linesFor, nextPeriod } from './subscription-periods.ts';
import { endPhaseAt, endScheduleOf } from './subscription-schedules.ts';

const DAY_SECONDS = 86_400;

/** The time before the end of a trial at which the warning event is emitted. */
export const TRIAL_WARNING_SECONDS = 3 * DAY_SECONDS;

/** How long an invoice of a subscription stays a draft that is not finalized at once. */
const DRAFT_SECONDS = 3_600;

/**
 * Starts a subscription, bills its first period and emits all events. It is incomplete if an amount is due that the card
 * does not pay; without a card the invoice stays open. One that is sent stays a draft for an hour.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses)
 */
export function startSubscription(
  unit: UnitOfWork,
  { subscription: begun, discounts, bill }: FirstInvoice,
  { card, paymentIntent = null }: { card: PaymentMethod | null; paymentIntent?: PaymentIntent | null },
): { subscription: Subscription; invoice: Invoice; attempt: Attempt | null } {
  const { trial_end: trialEnd, days_until_due: daysUntilDue } = begun;
  const sources = bill.lines.flatMap(({ source }) => source ?? []);
  addInvoiceItems(
    unit,
    sources.filter(({ id }) => !unit.tables.invoiceitem.get(id)),
  );
  const isSent = daysUntilDue !== null;
  const own = isSent ? { automatically_finalizes_at: unit.now + DRAFT_SECONDS } : {};
  const draft = draftInvoice(unit, { ...bill, own });
  const invoice = isSent ? draft : finalizeInvoice(unit, draft, { paymentIntent });
  recordDebits(unit, invoice);
  const outcome = card && outcomeOf(unit, card);
  const unpaid = invoice.amount_due > 0 && !isSent && outcome !== 'pays';
  const created: Subscription = unpaid ? { ...begun, status: 'incomplete' } : begun;
  unit.create('subscription', created, 'customer.subscription.created');
  storeDiscounts(unit, discounts);
  const subscription = dropSpentDiscounts(unit, created, invoice);
  const isCollected = !isSent && (outcome !== null || invoice.amount_due === 0);
  const collected = isCollected ? collectInvoice(unit, invoice, card, outcome ?? 'pays') : null;
  if (trialEnd !== null && trialEnd - unit.now <= TRIAL_WARNING_SECONDS)
    unit.emit('customer.subscription.trial_will_end', subscription);
  return { subscription, invoice: collected?.invoice ?? invoice, attempt: collected?.attempt ?? null };
}

/**
 * Starts the next period of a subscription and bills it. A trial ends. A subscription that cancels at its period end ends
 * instead. The payment fails if `declined` is true or the card is set to decline. On a test clock its invoice is a draft for an
 * hour, as Stripe's are; in real time it is collected at once, so that nobody has to wait.
 */
export function renewSubscription(unit: UnitOfWork, current: Subscription, at: number, declined = false): Subscription {
  const subscription = dropPendingChange(unit, endPhaseAt(unit, current, at));
  const trialEnd = trialEndOf(unit, subscription);
  if (subscription.cancel_at_period_end || trialEnd === 'cancel')
    return endSubscription(unit, subscription, 'cancellation_requested');
  if (trialEnd === 'pause') return pauseSubscription(unit, subscription);
  const wasTrial = subscription.status === 'trialing';
  const last = currentPeriod(subscription);
  const next = nextPeriod(subscription, at);
  const changes = { ...subscription, ...inPeriod(subscription, next, at) };
  if (subscription.status === 'unpaid') return unit.update('subscription', current, changes);
  const isDrafted = subscription.test_clock !== null && !declined;
  const id = newId('in_1');
  const renewed = unit.update('subscription', current, { ...changes, latest_invoice: id });
  const lines = [
    ...pendingLines(unit, renewed),
    ...linesFor(unit, renewed, next, !wasTrial && { start: last.start, end: at }),
  ];
  const draft = draftInvoice(unit, {
    id,
    customer: customerOrNull(unit, renewed.customer),
    subscription: renewed,
    reason: 'subscription_cycle',
    currency: renewed.currency,
    lines: discounted(lines, rebatesOf(unit, renewed, next.start)),
    period: { start: last.start, end: at },
    ...(isDrafted && { own: { automatically_finalizes_at: at + DRAFT_SECONDS } }),
  });
  recordDebits(unit, draft);
  const billed = dropSpentDiscounts(unit, renewed, draft);
  return isDrafted ? billed : collectDraft(unit, billed, draft, declined);
}

/** Returns what is to become of a trial that ends with nothing to charge; undefined for any other subscription. */
function trialEndOf(unit: UnitOfWork, subscription: Subscription) {
  const { status, collection_method: method, trial_settings: settings } = subscription;
  const isLacking = status === 'trialing' && method === 'charge_automatically' && !cardFor(unit, subscription);
  return isLacking ? settings?.end_behavior.missing_payment_method : undefined;
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
