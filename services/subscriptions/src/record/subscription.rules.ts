import { isDeepStrictEqual } from 'node:util';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { unprocessable } from '@billing/contracts/problem';
import { cancellationOf, type Cancellation } from '@billing/contracts/resources/cancellation';
import { hasEnded, type SubscriptionStatus, type SubscriptionTax } from '@billing/contracts/resources/subscription';
import { withoutRouting } from '@billing/processor/metadata';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import type { PriceAmount } from '@billing/processor/snapshots/catalog';
import {
  withAmounts,
  type PauseCollection,
  type SubscriptionItemSnapshot,
} from '@billing/processor/snapshots/subscription';
import { withDiscounts } from '@billing/processor/snapshots/subscription-discounts';
import { readDiscounts, recordedDiscount, type DiscountTerms } from './discount.rules.ts';
import { readPendingChange, withRecordedPayment, type PendingTerms } from './pending-change.rules.ts';
import { isOurs, readManagingSchedule, type ManagingSchedule } from './schedule.rules.ts';

/** What one item bills, as the processor has it: all but our own id of its price. */
export type ItemTerms = Omit<BilledItem, 'priceId'>;

/** All that the processor decides about a subscription. Amounts are in the currency's smallest unit. */
export interface SubscriptionTerms {
  readonly status: SubscriptionStatus;
  readonly cancelAtPeriodEnd: boolean;
  /** When it ends by itself; null if it does not. */
  readonly cancelAt: Date | null;
  /** When the cancellation was requested. */
  readonly canceledAt: Date | null;
  /** Why the customer canceled; null for one that goes on. */
  readonly cancellation: Cancellation | null;
  /** Whether it ended though nobody requested that: a payment failed or was disputed. */
  readonly involuntary: boolean;
  readonly pauseCollection: PauseCollection | null;
  readonly tax: SubscriptionTax;
  readonly items: readonly ItemTerms[];
  /** All that are known (`readDiscounts`). */
  readonly discounts: readonly DiscountTerms[];
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly trialEnd: Date | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly defaultPaymentMethodId: string | null;
  /** What it becomes once that is paid. */
  readonly pendingChange: PendingTerms | null;
  /** The processor's schedule that manages it. */
  readonly schedule: ManagingSchedule | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The processor's id of the test clock that it lives on; null in real time. */
  readonly testClockId: string | null;
}

export const ACTIVE_STATUSES = ['active', 'trialing'] as const satisfies readonly SubscriptionStatus[];

/**
 * Checks that a subscription has not ended, so that it can be scheduled to end, resumed or canceled.
 * @throws Problem 422 `subscription_ended`
 */
export function requireRunning(status: SubscriptionStatus): void {
  if (hasEnded(status)) {
    throw unprocessable('subscription_ended', 'The subscription has ended; start a new checkout.');
  }
}

/**
 * Checks that no schedule manages a subscription that this service did not make: it then can't be scheduled to end, nor
 * resumed, nor changed.
 * @throws Problem 422 `subscription_has_schedule`
 */
export function requireUnscheduled(snapshot: Pick<SubscriptionSnapshot, 'schedule' | 'scheduleId'>): void {
  const { schedule, scheduleId } = snapshot;
  if (scheduleId === null || (schedule && isOurs(schedule))) return;
  const message = `The payment processor's schedule ${scheduleId} manages the subscription; change or release it there.`;
  throw unprocessable('subscription_has_schedule', message);
}

/**
 * Returns the status that a snapshot shows. A status that is newer than this service leaves the recorded one.
 * @throws Error for an unknown status when none is recorded
 */
function statusOf(snapshot: SubscriptionSnapshot, recorded?: SubscriptionStatus): SubscriptionStatus {
  const status = snapshot.status ?? recorded;
  if (!status) throw new Error(`Subscription ${snapshot.id} has a status that this service does not know.`);
  return status;
}

/**
 * Returns what a snapshot shows. `observedAt`, the time of the snapshot, stands in for a missing time of the end; what is
 * recorded, for a status that this service does not know, for a schedule of which only the id is shown, and for discounts.
 * @throws Error for an unknown status when none is recorded
 */
export function readTerms(
  snapshot: SubscriptionSnapshot,
  {
    observedAt,
    recorded,
  }: { observedAt: Date; recorded?: Pick<SubscriptionTerms, 'status' | 'schedule' | 'discounts'> },
): SubscriptionTerms {
  const status = statusOf(snapshot, recorded?.status);
  const endedAt = hasEnded(status) ? (snapshot.endedAt ?? observedAt) : null;
  // Stripe keeps the flags of a scheduled end when the subscription ends before it.
  const endedEarly = endedAt !== null && endedAt < snapshot.currentPeriodEnd;
  return {
    status,
    cancelAtPeriodEnd: snapshot.cancelAtPeriodEnd && !endedEarly,
    cancelAt: endedEarly ? null : snapshot.cancelAt,
    canceledAt: snapshot.canceledAt,
    cancellation: endedAt || snapshot.cancelAtPeriodEnd ? cancellationOf(snapshot.cancellation ?? {}) : null,
    involuntary: snapshot.involuntary,
    pauseCollection: snapshot.pauseCollection,
    tax: snapshot.tax,
    items: snapshot.items.map(item => itemTerms(item, snapshot.currency)),
    discounts: readDiscounts(snapshot, recorded?.discounts ?? []),
    currentPeriodStart: snapshot.currentPeriodStart,
    currentPeriodEnd: snapshot.currentPeriodEnd,
    trialEnd: snapshot.trialEnd,
    startedAt: snapshot.startedAt,
    endedAt,
    defaultPaymentMethodId: snapshot.defaultPaymentMethodId,
    pendingChange: hasEnded(status) ? null : readPendingChange(snapshot),
    schedule: hasEnded(status) ? null : readManagingSchedule(snapshot, recorded?.schedule ?? null),
    metadata: withoutRouting(snapshot.metadata),
    testClockId: snapshot.testClockId,
  };
}

/** Returns whether a snapshot has the details of a cancellation. */
export const hasDetails = ({ cancellation }: SubscriptionSnapshot, details: Cancellation | null): boolean =>
  details === null || isDeepStrictEqual(cancellationOf(cancellation ?? {}), details);

/** Returns the terms of a subscription after its cancellation at `endedAt`. */
export function canceledAt(terms: SubscriptionTerms, endedAt: Date): SubscriptionTerms {
  const endedEarly = endedAt < terms.currentPeriodEnd;
  const { cancelAtPeriodEnd, cancelAt } = endedEarly ? { cancelAtPeriodEnd: false, cancelAt: null } : terms;
  const canceled = { status: 'canceled', endedAt, canceledAt: terms.canceledAt ?? endedAt } as const;
  return { ...terms, ...canceled, cancelAtPeriodEnd, cancelAt, pendingChange: null, schedule: null };
}

/** Returns what an item bills. One without an amount in the subscription's currency has none that can be known. */
export function itemTerms(
  { price, quantity, amount }: Pick<SubscriptionItemSnapshot, 'price' | 'quantity' | 'amount'>,
  currency: string | null,
): ItemTerms {
  const { id, productId, interval, intervalCount, metered, billingScheme, transformQuantity } = price;
  return {
    processorPriceId: id,
    processorProductId: productId,
    unitAmount: amount?.unitAmount ?? null,
    unitAmountDecimal: amount?.unitAmountDecimal ?? null,
    billingScheme,
    currency: currency ?? price.currency,
    interval,
    intervalCount,
    quantity,
    transformQuantity,
    metered,
  };
}

/** Returns the subscription with what a record has and the object lacks: amounts, discounts, the payment of a pending change. */
export function withRecorded(
  snapshot: SubscriptionSnapshot,
  { items, discounts, pendingChange }: Pick<SubscriptionTerms, 'items' | 'discounts' | 'pendingChange'>,
): SubscriptionSnapshot {
  const priced = withAmounts(snapshot, item => recordedAmount(items, item, snapshot.currency));
  const discounted = withDiscounts(priced, id => recordedDiscount(discounts, id, snapshot.currency));
  return withRecordedPayment(discounted, pendingChange);
}

/** Returns the amount that is recorded of an item, if it is in that currency. */
export function recordedAmount(
  recorded: readonly ItemTerms[],
  { price }: Pick<SubscriptionItemSnapshot, 'price'>,
  currency: string | null,
): PriceAmount | undefined {
  const item = recorded.find(it => it.processorPriceId === price.id && it.currency === currency);
  if (!item || item.unitAmountDecimal === null) return undefined;
  const { unitAmount, unitAmountDecimal } = item;
  return { unitAmount, unitAmountDecimal };
}
