import type { Unit } from '../api/unit.ts';
import { currentPeriod, hasEnded } from '../objects/subscription.ts';
import type { CheckoutSession, Invoice, Subscription } from '../objects/stored.ts';
import { expireSession } from './checkout.ts';
import {
  collectFor,
  endSubscription,
  giveUpOn,
  pauseSubscription,
  renewSubscription,
  TRIAL_WARNING_SECONDS,
} from './subscriptions.ts';

const NOTED_EVERY_SECONDS = 3600;

interface Due {
  at: number;
  happen: (unit: Unit) => void;
}

/**
 * Lets everything happen that falls due up to `until` (Unix seconds): sessions expire, trials end, periods renew,
 * scheduled cancellations take effect, failed payments are tried again. In the order of time, each at its own moment.
 */
export function bringUpToDate(unit: Unit, until: number): void {
  const { broughtUpTo } = unit.account.state;
  const warnings = trialWarnings(unit, broughtUpTo, until);
  let due = [...warnings, ...dueNow(unit, until)];
  while (due.length > 0) {
    for (const { at, happen } of due.toSorted((a, b) => a.at - b.at)) {
      unit.now = at;
      happen(unit);
    }
    // What has happened may have made more fall due, up to the next look.
    due = dueNow(unit, until);
  }
  unit.now = until;
  // Only warnings depend on it, so it need not be written at every look.
  if (warnings.length > 0 || until - broughtUpTo >= NOTED_EVERY_SECONDS) unit.account.change({ broughtUpTo: until });
}

function dueNow(unit: Unit, until: number): Due[] {
  return [
    ...unit.tables.subscription.newestFirst().flatMap(row => subscriptionDue(row, until)),
    ...unit.tables['checkout.session'].newestFirst().flatMap(row => sessionDue(row, until)),
    ...unit.tables.invoice.newestFirst().flatMap(row => invoiceDue(row, until)),
  ];
}

function subscriptionDue(subscription: Subscription, until: number): Due[] {
  if (hasEnded(subscription) || subscription.status === 'paused') return [];
  const { id, cancel_at: cancelAt } = subscription;
  const end = currentPeriod(subscription).end;
  if (cancelAt !== null && cancelAt <= end && cancelAt <= until)
    return [
      { at: cancelAt, happen: unit => withLive(unit, id, row => endSubscription(unit, row, 'cancellation_requested')) },
    ];
  if (end > until) return [];
  return [{ at: end, happen: unit => withLive(unit, id, row => renewOrPause(unit, row, end)) }];
}

function renewOrPause(unit: Unit, subscription: Subscription, at: number): void {
  const behavior = subscription.trial_settings?.end_behavior.missing_payment_method;
  if (subscription.status === 'trialing' && behavior === 'pause' && subscription.default_payment_method === null)
    pauseSubscription(unit, subscription);
  else renewSubscription(unit, subscription, at);
}

function sessionDue({ id, status, expires_at: at }: CheckoutSession, until: number): Due[] {
  if (status !== 'open' || at > until) return [];
  return [{ at, happen: unit => expireSession(unit, id) }];
}

function invoiceDue({ id, status, next_payment_attempt: at, parent }: Invoice, until: number): Due[] {
  if (status !== 'open' || at === null || at > until) return [];
  return [{ at, happen: unit => tryAgain(unit, parent?.subscription_details.subscription ?? '', id) }];
}

function tryAgain(unit: Unit, subscriptionId: string, invoiceId: string): void {
  const invoice = unit.tables.invoice.get(invoiceId);
  if (invoice?.status !== 'open' || invoice.next_payment_attempt === null) return;
  const subscription = unit.tables.subscription.get(subscriptionId);
  if (!subscription || hasEnded(subscription)) {
    // Nobody is left to collect from; without this the invoice would stay due forever.
    unit.update('invoice', invoice, { next_payment_attempt: null });
    return;
  }
  const after = collectFor(unit, subscription, invoice);
  const left = unit.tables.invoice.get(invoiceId);
  if (left?.status === 'open' && left.next_payment_attempt === null) giveUpOn(unit, after, 'canceled');
}

function trialWarnings(unit: Unit, after: number, until: number): Due[] {
  return unit.tables.subscription.newestFirst().flatMap(({ id, status, trial_end: end }) => {
    const at = (end ?? 0) - TRIAL_WARNING_SECONDS;
    if (status !== 'trialing' || at <= after || at > until) return [];
    return [
      { at, happen: (then: Unit) => withLive(then, id, row => then.emit('customer.subscription.trial_will_end', row)) },
    ];
  });
}

function withLive(unit: Unit, id: string, act: (subscription: Subscription) => unknown): void {
  const subscription = unit.tables.subscription.get(id);
  if (subscription && !hasEnded(subscription)) act(subscription);
}
