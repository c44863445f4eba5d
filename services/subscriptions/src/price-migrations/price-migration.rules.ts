import { toDecimalText } from '@billing/contracts/decimal-text';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { itemRevenue, sumTerms, unpricedReason, type PricedItem } from '@billing/contracts/item-revenue';
import type { MigrationFinding, MigrationSkipReason } from '@billing/contracts/resources/price-migration';
import { hasEnded, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { PriceSnapshot, SubscriptionSnapshot } from '@billing/processor/port';
import { amountIn } from '@billing/processor/snapshots/subscription';
import { isSoldIn } from '#plan-changes/items.rules';
import { hasBegun, readManagingSchedule } from '#record/schedule.rules';
import { itemTerms } from '#record/subscription.rules';

/** What of a subscription decides whether it moves to another price. */
export interface Movable {
  /** Null for a status that is newer than this service. */
  readonly status: SubscriptionStatus | null;
  readonly isPaused: boolean;
  readonly items: readonly { readonly processorPriceId: string }[];
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelAt: Date | null;
  /** What its schedule does: somebody else's, a planned change of ours, or nothing. */
  readonly schedule: 'foreign' | 'planned' | null;
  readonly isPending: boolean;
}

/** Returns why a subscription is not moved from a price; null when it can be. */
export function skipReason(subscription: Movable, fromProcessorPriceId: string): MigrationSkipReason | null {
  const { status, items, schedule } = subscription;
  if (status !== null && hasEnded(status)) return 'ended';
  if (!items.some(it => it.processorPriceId === fromProcessorPriceId)) return 'left_price';
  if (items.length > 1) return 'several_items';
  if (status === 'incomplete') return 'incomplete';
  if (status === 'past_due' || status === 'unpaid') return 'past_due';
  if (status === 'paused' || subscription.isPaused) return 'paused';
  if (schedule === 'foreign') return 'has_schedule';
  if (subscription.isPending) return 'has_pending_change';
  if (schedule === 'planned') return 'has_scheduled_change';
  return subscription.cancelAtPeriodEnd || subscription.cancelAt ? 'set_to_cancel' : null;
}

/** Returns the same of a subscription as the processor has it. */
export function movableOf(snapshot: SubscriptionSnapshot): Movable {
  const { status, pauseCollection, items, cancelAtPeriodEnd, cancelAt, pendingUpdate } = snapshot;
  const managing = readManagingSchedule(snapshot, null);
  const isPlanned = managing?.change && !hasBegun(managing.change, snapshot);
  return {
    status,
    isPaused: pauseCollection !== null,
    items: items.map(({ price }) => ({ processorPriceId: price.id })),
    cancelAtPeriodEnd,
    cancelAt,
    schedule: managing && !managing.change ? 'foreign' : isPlanned ? 'planned' : null,
    isPending: pendingUpdate !== null,
  };
}

/** A subscription is left as it is. */
export class NotMovable extends Error {
  readonly reason: MigrationSkipReason;

  constructor(reason: MigrationSkipReason) {
    super(`The subscription is not moved to another price: ${reason}.`);
    this.reason = reason;
  }
}

/**
 * Checks, in the turn of its change, that a subscription can still be moved from a price.
 * @throws NotMovable
 */
export function requireMovable(snapshot: SubscriptionSnapshot, fromProcessorPriceId: string): void {
  const reason = skipReason(movableOf(snapshot), fromProcessorPriceId);
  if (reason) throw new NotMovable(reason);
}

/** What a migration does to a subscription: its part of a finding. */
export type MigrationDecision = Pick<
  MigrationFinding,
  'currency' | 'oldAmount' | 'newAmount' | 'effectiveAt' | 'reason'
> & { readonly outcome: 'to_change' | 'skipped' };

/** Decides by a record what a migration from one price to another does to a subscription. */
export function decideMigration(
  subscription: Movable & { readonly items: readonly BilledItem[]; readonly currentPeriodEnd: Date },
  { fromProcessorPriceId, to }: { readonly fromProcessorPriceId: string; readonly to: PriceSnapshot },
): MigrationDecision {
  const { items, currentPeriodEnd } = subscription;
  const [{ currency, quantity } = { currency: to.currency, quantity: 1 }] = items;
  const reason = skipReason(subscription, fromProcessorPriceId) ?? (isSoldIn(to, currency) ? null : 'other_currency');
  const next = itemTerms({ price: to, quantity, amount: amountIn(currency, to) }, currency);
  const isSkipped = reason !== null;
  return {
    currency,
    oldAmount: monthlyAmount(items),
    newAmount: isSkipped ? null : monthlyAmount([next]),
    effectiveAt: isSkipped ? null : currentPeriodEnd,
    outcome: isSkipped ? 'skipped' : 'to_change',
    reason,
  };
}

/** Returns the exact amount a month at face value; null when a part of it has none. */
const monthlyAmount = (items: readonly PricedItem[]): string | null =>
  items.some(item => unpricedReason(item) !== null)
    ? null
    : toDecimalText(sumTerms(items.flatMap(item => itemRevenue(item) ?? [])));
