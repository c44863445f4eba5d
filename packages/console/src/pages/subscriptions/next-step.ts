import type { Subscription } from '@billing/client';
import { formatMoney } from '#ui/money.ts';

export interface NextStep {
  /** What happens, before the time of it: `Renews`. */
  readonly words: string;
  /** Null where nothing is planned. */
  readonly at: string | null;
  /** What is charged then, at face value; null for nothing, and where it depends on usage. */
  readonly amount: string | null;
}

/** Returns what happens with a subscription next, or that it has ended. */
export function nextStep(subscription: Subscription): NextStep {
  const { status, endedAt, canceledAt, trialEnd, currentPeriodEnd, paused, scheduledChange } = subscription;
  const amount = paused || scheduledChange ? null : faceValue(subscription);
  if (hasEnded(subscription)) return { words: 'Ended', at: endedAt ?? canceledAt, amount: null };
  const end = endOf(subscription);
  if (end !== null) return { words: 'Ends', at: end, amount: null };
  if (paused?.resumesAt) return { words: 'Payments resume', at: paused.resumesAt, amount };
  if (scheduledChange) return { words: 'Changes', at: scheduledChange.effectiveAt, amount };
  if (status === 'trialing') return { words: 'Trial ends', at: trialEnd ?? currentPeriodEnd, amount };
  if (status === 'incomplete') return { words: 'Waits for payment', at: null, amount: null };
  if (status === 'paused') return { words: 'Paused: no payment method', at: null, amount: null };
  return { words: 'Renews', at: currentPeriodEnd, amount };
}

/** Whether a subscription has ended for good. */
export const hasEnded = ({ status }: Pick<Subscription, 'status'>): boolean =>
  status === 'canceled' || status === 'incomplete_expired';

/** Whether nothing is charged of a subscription until it is resumed. */
export const isPaused = ({ status, paused }: Pick<Subscription, 'status' | 'paused'>): boolean =>
  paused !== null || status === 'paused';

/** When it ends by itself; null when it goes on. */
const endOf = ({ cancelAt, cancelAtPeriodEnd, currentPeriodEnd }: Subscription): string | null =>
  cancelAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null);

/**
 * Whether a subscription can only be canceled now: its end is scheduled, or it runs no period after which it could end, for want
 * of a payment method or of its first payment.
 */
export const endsOnlyNow = ({
  status,
  cancelAtPeriodEnd,
}: Pick<Subscription, 'status' | 'cancelAtPeriodEnd'>): boolean =>
  cancelAtPeriodEnd || status === 'paused' || status === 'incomplete';

/** What a period costs without discounts and taxes; null when no fixed amount says it. */
export function faceValue({ items }: Pick<Subscription, 'items'>): string | null {
  let sum = 0;
  for (const { unitAmount, quantity, interval } of items) {
    if (unitAmount === null || interval === null) return null;
    sum += unitAmount * quantity;
  }
  const [first] = items;
  // Items of other lengths are not charged together.
  const isTogether = items.every(
    ({ interval, intervalCount }) => interval === first?.interval && intervalCount === first.intervalCount,
  );
  return first && isTogether ? formatMoney(sum, first.currency) : null;
}
