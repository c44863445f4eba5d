import type { UnitOfWork } from '../api/unit-of-work.ts';
import { periodAt } from '../domain/periods.ts';
import type { Period } from '../domain/prorate.ts';
import { type BilledLine, billedLine } from '../objects/invoice-line.ts';
import { isMetered } from '../objects/price.ts';
import { currentPeriod, itemsIn, subscriptionCadence } from '../objects/subscription.ts';
import type { Subscription } from '../objects/stored.ts';
import { billedUsage } from './usage.ts';

/** Returns the period that begins at a time, which is the end of the last one unless it begins early. */
export function nextPeriod(subscription: Subscription, at: number): Period {
  return periodAt(anchorAt(subscription, at), subscriptionCadence(subscription), at);
}

/** Returns the changes of a subscription that begins a period at a time; a trial has ended then. */
export function inPeriod(subscription: Subscription, period: Period, at: number): Partial<Subscription> {
  return {
    items: itemsIn(subscription, period),
    billing_cycle_anchor: anchorAt(subscription, at),
    ...(subscription.status === 'trialing' ? { status: 'active', trial_end: at } : {}),
  };
}

function anchorAt(subscription: Subscription, at: number): number {
  return at === currentPeriod(subscription).end ? Math.min(subscription.billing_cycle_anchor, at) : at;
}

/**
 * Returns the lines that bill a subscription for a period, without its discounts; they are free during a trial. Usage is billed for
 * the period that has `ended`, if there is one.
 */
export function linesFor(
  unit: UnitOfWork,
  subscription: Subscription,
  period: Period,
  ended?: Period | false,
): BilledLine[] {
  const trial = subscription.status === 'trialing';
  const { currency, customer } = subscription;
  return subscription.items.data.map(({ id, price, quantity = null }) => {
    const line = { price, currency, item: id, trial };
    if (!ended || !isMetered(price)) return billedLine(unit, { ...line, quantity, period });
    return billedLine(unit, { ...line, quantity: billedUsage(unit, price, customer, ended), period: ended });
  });
}
