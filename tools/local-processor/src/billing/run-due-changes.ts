import type { UnitOfWork } from '../api/unit-of-work.ts';
import { currentPeriod, hasEnded } from '../objects/subscription.ts';
import { customerOrNull } from '../objects/finding.ts';
import { subscriptionOf } from '../objects/invoice.ts';
import type { CheckoutSession, Invoice, Subscription, TestClock } from '../objects/stored.ts';
import { endPhaseWithinPeriod, phaseEndOf } from './advance-schedule.ts';
import { expireSession } from './checkout.ts';
import { collectAlone, collectDraft, collectFor, resumeCollection } from './collection.ts';
import { expirePendingChange } from './pending-changes.ts';
import {
  endSubscription,
  expireIncomplete,
  stopRetrying,
  renewSubscription,
  TRIAL_WARNING_SECONDS,
} from './subscriptions.ts';

/** How often the progress is saved when no warning was emitted. */
const SAVE_INTERVAL_SECONDS = 3600;

/**
 * A change makes others due no sooner than this: applied in one round, none comes before those that it makes due. On a test
 * clock that is how long invoices are drafts.
 */
const ROUND_SECONDS = { account: 12 * 3600, testClock: 3600 };

/** How long the first invoice of an incomplete subscription can be paid. */
const INCOMPLETE_SECONDS = 23 * 3600;

interface DueChange {
  at: number;
  apply: (unit: UnitOfWork) => void;
}

/**
 * Applies all changes of the account that are due up to `until` (Unix seconds), in chronological order and with their own
 * timestamps: sessions expire, trials end, periods renew, scheduled cancellations take effect, failed payments are
 * retried. What lives on a test clock waits for that.
 */
export function runDueChanges(unit: UnitOfWork, until: number): void {
  const { dueUntil } = unit.account.state;
  const hasWarned = applyDue(unit, null, dueUntil, until);
  // Only warnings depend on the saved time, so it is not saved at every run.
  if (hasWarned || until - dueUntil >= SAVE_INTERVAL_SECONDS) unit.account.change({ dueUntil: until });
}

/** Applies all changes of a test clock's customers that are due up to `until`. */
export function runDueChangesOf(unit: UnitOfWork, clock: TestClock, until: number): void {
  applyDue(unit, clock.id, clock.frozen_time, until);
}

/** Applies what is due on one clock; null is the account's. Returns whether a trial's end was announced. */
function applyDue(unit: UnitOfWork, clock: string | null, after: number, until: number): boolean {
  const warnings = trialWarnings(unit, clock, after, until);
  let left = warnings;
  for (;;) {
    const due = [...left, ...dueNow(unit, clock, until)].toSorted((a, b) => a.at - b.at);
    const [first] = due;
    if (!first) break;
    const end = first.at + (clock === null ? ROUND_SECONDS.account : ROUND_SECONDS.testClock);
    for (const { at, apply } of due.filter(it => it.at < end)) {
      unit.now = at;
      apply(unit);
    }
    // The applied changes may have made others due, a second renewal for example.
    left = left.filter(it => it.at >= end);
  }
  unit.now = until;
  return warnings.length > 0;
}

function dueNow(unit: UnitOfWork, clock: string | null, until: number): DueChange[] {
  const isOnClock = (row: { test_clock: string | null }) => row.test_clock === clock;
  const isSessionOnClock = ({ customer }: CheckoutSession) =>
    (customerOrNull(unit, customer)?.test_clock ?? null) === clock;
  return [
    ...unit.tables.subscription
      .newestFirst()
      .filter(isOnClock)
      .flatMap(row => subscriptionDue(unit, row, until)),
    ...unit.tables['checkout.session']
      .newestFirst()
      .filter(isSessionOnClock)
      .flatMap(row => sessionDue(row, until)),
    ...unit.tables.invoice
      .newestFirst()
      .filter(isOnClock)
      .flatMap(row => invoiceDue(row, until)),
  ];
}

function subscriptionDue(unit: UnitOfWork, subscription: Subscription, until: number): DueChange[] {
  if (hasEnded(subscription) || subscription.status === 'paused') return [];
  const { id, cancel_at: cancelAt } = subscription;
  const due = (at: number, change: (later: UnitOfWork, row: Subscription) => void): DueChange[] =>
    at > until ? [] : [{ at, apply: later => changeIfLive(later, id, row => change(later, row)) }];
  if (subscription.status === 'incomplete') return due(subscription.created + INCOMPLETE_SECONDS, expireIncomplete);
  const end = currentPeriod(subscription).end;
  const pendingUntil = subscription.pending_update?.expires_at ?? null;
  if (pendingUntil !== null && pendingUntil <= until) return due(pendingUntil, expirePendingChange);
  const resumesAt = subscription.pause_collection?.resumes_at ?? null;
  if (resumesAt !== null && resumesAt <= end && resumesAt <= until) return due(resumesAt, resumeCollection);
  if (cancelAt !== null && cancelAt <= end && cancelAt <= until)
    return due(cancelAt, (later, row) => endSubscription(later, row, 'cancellation_requested'));
  const phaseEnd = phaseEndOf(unit, subscription) ?? Infinity;
  if (phaseEnd < end && phaseEnd <= until) return due(phaseEnd, endPhaseWithinPeriod);
  return due(end, (later, row) => renewSubscription(later, row, end));
}

function sessionDue({ id, status, expires_at: at }: CheckoutSession, until: number): DueChange[] {
  if (status !== 'open' || at > until) return [];
  return [{ at, apply: unit => expireSession(unit, id) }];
}

function invoiceDue(invoice: Invoice, until: number): DueChange[] {
  const { id, status, auto_advance: advances } = invoice;
  const isDraft = status === 'draft' && advances;
  const at = isDraft ? invoice.automatically_finalizes_at : invoice.next_payment_attempt;
  if ((status !== 'open' && !isDraft) || at === null || at > until) return [];
  return [{ at, apply: unit => (isDraft ? finalizeDraft(unit, id) : retryPayment(unit, id)) }];
}

/** Finalizes the draft of a subscription whose hour is over, unless someone did. */
function finalizeDraft(unit: UnitOfWork, id: string): void {
  const draft = unit.tables.invoice.get(id);
  const subscription = unit.tables.subscription.get((draft && subscriptionOf(draft)) ?? '');
  if (subscription && draft?.status === 'draft') collectDraft(unit, subscription, draft);
}

function retryPayment(unit: UnitOfWork, invoiceId: string): void {
  const invoice = unit.tables.invoice.get(invoiceId);
  if (invoice?.status !== 'open' || invoice.next_payment_attempt === null) return;
  if (!invoice.parent) return collectAlone(unit, invoice);
  const subscription = unit.tables.subscription.get(subscriptionOf(invoice) ?? '');
  if (!subscription || hasEnded(subscription)) {
    // There is nothing left to collect; without this the invoice would stay due forever.
    unit.store('invoice', invoice, { next_payment_attempt: null });
    return;
  }
  const after = collectFor(unit, subscription, invoice);
  const left = unit.tables.invoice.get(invoiceId);
  if (left?.status !== 'open' || left.next_payment_attempt !== null) return;
  stopRetrying(unit, after, 'canceled');
}

function trialWarnings(unit: UnitOfWork, clock: string | null, after: number, until: number): DueChange[] {
  return unit.tables.subscription.newestFirst().flatMap(({ id, status, trial_end: end, test_clock: own }) => {
    const at = (end ?? 0) - TRIAL_WARNING_SECONDS;
    if (own !== clock || status !== 'trialing' || at <= after || at > until) return [];
    return [
      {
        at,
        apply: (later: UnitOfWork) =>
          changeIfLive(later, id, row => later.emit('customer.subscription.trial_will_end', row)),
      },
    ];
  });
}

function changeIfLive(unit: UnitOfWork, id: string, act: (subscription: Subscription) => unknown): void {
  const subscription = unit.tables.subscription.get(id);
  if (subscription && !hasEnded(subscription)) act(subscription);
}
