import type { ShownBy } from '@billing/contracts/events/subscriptions';
import type { PricedItem, RevenueTerm } from '@billing/contracts/item-revenue';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { faceValue, isLive } from './revenue.ts';

/** What a subscription was at a time. */
export interface LivedState {
  readonly status: SubscriptionStatus;
  /** Whether it has a trial, or had one. */
  readonly hasTrial: boolean;
  /** None unless it was active or trialing. */
  readonly revenue: readonly RevenueTerm[];
}

/** A state that was shown of a subscription, as `writeState` writes it: what counts of it, the same text for equal states. */
export interface Point {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly by: ShownBy;
  readonly state: string;
}

type Written = [SubscriptionStatus, boolean, ...(readonly [currency: string, divisor: number, numerator: string])[]];

/** Writes what counts of a state. */
export function writeState(status: SubscriptionStatus, hasTrial: boolean, items: readonly PricedItem[]): string {
  const revenue = isLive(status) ? faceValue(items) : [];
  const terms = revenue.map(({ currency, divisor, numerator }) => [currency, divisor, `${numerator}`] as const);
  return JSON.stringify([status, hasTrial, ...terms] satisfies Written);
}

/** Reads what `writeState` has written. */
export function readState(text: string): LivedState {
  const [status, hasTrial, ...terms] = JSON.parse(text) as Written; // only texts of `writeState` are stored
  const revenue = terms.map(([currency, divisor, numerator]) => ({ currency, divisor, numerator: BigInt(numerator) }));
  return { status, hasTrial, revenue };
}
