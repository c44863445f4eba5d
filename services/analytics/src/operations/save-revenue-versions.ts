import type { EntityManager } from '@mikro-orm/postgresql';
import { mergeRevenuePeriods, type RevenuePeriod } from '#domain/revenue-periods.ts';
import type { CountedState, ObservedPeriods } from '#domain/tracked-record.ts';
import {
  readRevenuePeriods,
  saveRevenuePeriods,
  subscriptionKey,
  type SubscriptionKey,
} from '#persistence/revenue-periods.ts';

/** Observed versions of a subscription. */
export interface ObservedVersions extends SubscriptionKey {
  readonly versions: readonly RevenuePeriod[];
  /** The subscription's state in every generation that is to be written; undefined where it has none. */
  readonly counted: readonly (CountedState | undefined)[];
}

/**
 * Merges observed versions into the revenue periods of their subscriptions, in the caller's transaction. Returns, by
 * `subscriptionKey`, the periods that decide the movements. Unless versions are late, the last stored period is enough
 * for both, so the cost does not grow with the subscription's history.
 */
export async function saveRevenueVersions(
  tx: EntityManager,
  subscriptions: readonly ObservedVersions[],
): Promise<ReadonlyMap<string, ObservedPeriods>> {
  const last = await readRevenuePeriods(tx, subscriptions, { onlyLast: true });
  const observed = subscriptions.map(it => {
    const stored = last.get(subscriptionKey(it)) ?? [];
    return { ...it, stored, continueCounted: continueCounted(it, stored.at(-1)) };
  });
  const late = observed.filter(it => it.stored.length > 0 && !it.continueCounted);
  const all = await readRevenuePeriods(tx, late);
  const merged = observed.map(it => {
    const stored = all.get(subscriptionKey(it)) ?? it.stored;
    return { ...it, stored, periods: mergeRevenuePeriods(stored, it.versions) };
  });
  await saveRevenuePeriods(tx, merged);
  return new Map(merged.map(it => [subscriptionKey(it), it]));
}

/** Whether all versions come after the last stored period, and every counted state includes the periods up to it. */
const continueCounted = ({ versions, counted }: ObservedVersions, last: RevenuePeriod | undefined): boolean =>
  last !== undefined &&
  versions.every(({ firstVersion }) => firstVersion > last.lastVersion) &&
  counted.every(state => state?.version === last.lastVersion);
