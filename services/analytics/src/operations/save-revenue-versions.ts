import type { EntityManager } from '@mikro-orm/postgresql';
import { mergeRevenuePeriods, type RevenuePeriod } from '#domain/revenue-periods.ts';
import { hasExactTimes } from '#domain/lifetimes.ts';
import type { ObservedPeriods } from '#domain/tracked-record.ts';
import { readRevenuePeriods, saveRevenuePeriods, type SubscriptionKey } from '#persistence/revenue-periods.ts';
import { NO_PROJECT } from '#persistence/tracked-record.entity.ts';
import type { CountedRow, ObservedRecord } from './read-observed-records.ts';

/** A subscription of which versions were observed. */
interface ObservedSubscription extends Pick<ObservedRecord, 'newest' | 'versions'> {
  /** Its row in every generation that is to be written. */
  readonly written: readonly CountedRow[];
}

/**
 * Merges observed versions into the revenue periods of their subscriptions, in the caller's transaction. Returns the
 * periods that decide movements and lifetimes. Unless versions are late, the last stored period is enough for both, so the cost
 * does not grow with the subscription's history.
 */
export async function saveRevenueVersions<Subscription extends ObservedSubscription>(
  tx: EntityManager,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<Subscription, ObservedPeriods>> {
  const keyed = subscriptions.map(subscription => ({ subscription, key: keyOf(subscription) }));
  const keys = keyed.map(({ key }) => key);
  const last = await readRevenuePeriods(tx, keys, { onlyLast: true });
  const observed = keyed.map(({ subscription, key }) => {
    const stored = last.get(key) ?? [];
    return { subscription, key, stored, continueCounted: continueCounted(subscription, stored.at(-1)) };
  });
  const late = observed.filter(it => it.stored.length > 0 && !it.continueCounted);
  const all = await readRevenuePeriods(
    tx,
    late.map(({ key }) => key),
  );
  const merged = observed.map(it => {
    const stored = all.get(it.key) ?? it.stored;
    return { ...it, stored, periods: mergeRevenuePeriods(stored, it.subscription.versions) };
  });
  await saveRevenuePeriods(tx, merged);
  return new Map(merged.map(it => [it.subscription, it]));
}

const keyOf = ({ newest: { teamId, projectId, id } }: ObservedSubscription): SubscriptionKey => ({
  teamId,
  projectId: projectId ?? NO_PROJECT,
  id,
});

/**
 * Whether all versions come after the last stored period, and every row counts the periods up to it. An end may have cut
 * what was counted before it.
 */
const continueCounted = ({ versions, written }: ObservedSubscription, last: RevenuePeriod | undefined): boolean =>
  last !== undefined &&
  last.endedAt === null &&
  versions.every(({ firstVersion }) => firstVersion > last.lastVersion) &&
  written.every(({ counted }) => counted?.version === last.lastVersion && hasExactTimes(counted.contributions));
