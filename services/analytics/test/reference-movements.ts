import type { AnalyticsHistory, MovementMetric } from '@billing/contracts/resources/analytics';
import type { Fraction } from '#domain/revenue.ts';
import {
  DAY,
  dayNumber,
  PARTS,
  partsOf,
  roundedSum,
  type ProjectRecords,
  type RecordedVersion,
} from './reference-model.ts';

/** The daily history as the README defines it, computed directly from all versions of all subscriptions. */
export function expectedHistory(records: ProjectRecords, currency: string, now: Date, days: number, step = 1) {
  const changes = records.subscriptionVersions.flatMap(versions => changesOf(versions, currency));
  const today = dayNumber(now);
  // Everything dated later belongs to today.
  const dayWithin = (time: Date) => Math.min(dayNumber(time), today);
  return Array.from({ length: Math.ceil(days / step) }, (_, index) => {
    const day = today - (Math.ceil(days / step) - 1 - index) * step;
    const first = Math.max(day - step + 1, today - days + 1);
    const isWithin = (time: Date) => first <= dayWithin(time) && dayWithin(time) <= day;
    return {
      from: dateOfDay(first),
      date: dateOfDay(day),
      mrr: roundedSum(changes.filter(it => dayWithin(it.at) <= day).map(({ by }) => by)),
      customerCount: records.customers.filter(
        it => dayWithin(it.createdAt) <= day && !(it.deletedAt && dayWithin(it.deletedAt) <= day),
      ).length,
      ...amountsOf(changes.filter(({ at }) => isWithin(at))),
    };
  }) satisfies AnalyticsHistory['history'];
}

/** The movements of the last `days` days together. */
export function expectedTotals(records: ProjectRecords, currency: string, now: Date, days: number) {
  const changes = records.subscriptionVersions.flatMap(versions => changesOf(versions, currency));
  return amountsOf(changes.filter(({ at }) => dayNumber(at) > dayNumber(now) - days));
}

/** The subscriptions behind a movement on the days `from` to `to`, by id, each with its part as a fraction. */
export function expectedMoved(
  records: ProjectRecords,
  currency: string,
  now: Date,
  { metric, from, to }: { metric: MovementMetric; from: string; to: string },
): ReadonlyMap<string, Fraction> {
  const isWithin = (time: Date) => {
    const day = dateOfDay(Math.min(dayNumber(time), dayNumber(now)));
    return from <= day && day <= to;
  };
  const moved = records.subscriptionVersions.flatMap(versions => {
    const parts = changesOf(versions, currency).filter(it => isWithin(it.at) && isPartOf(metric, it));
    const sum = parts.reduce((all, { by }) => all + by, 0n);
    const id = versions[0]?.state.id;
    const numerator = metric === 'contractionMrr' || metric === 'churnedMrr' ? -sum : sum;
    return parts.length > 0 && id ? [[id, { numerator, denominator: PARTS }] as const] : [];
  });
  return new Map(moved);
}

/** The subscriptions with revenue at the end of a day, by id, each with its revenue. */
export function expectedEarning(records: ProjectRecords, currency: string, now: Date, to: string) {
  const moved = expectedMoved(records, currency, now, { metric: 'netMrr', from: '', to });
  return new Map([...moved].filter(([, { numerator }]) => numerator !== 0n));
}

const isPartOf = (metric: MovementMetric, { reason }: RevenueChange) =>
  metric === 'netMrr' || metric === `${reason}Mrr`;

function amountsOf(changes: readonly RevenueChange[]) {
  const moved = (metric: MovementMetric) => changes.filter(it => isPartOf(metric, it)).map(({ by }) => by);
  const size = (metric: MovementMetric) => roundedSum(moved(metric).map(by => (by < 0n ? -by : by)));
  return {
    newMrr: size('newMrr'),
    expansionMrr: size('expansionMrr'),
    reactivatedMrr: size('reactivatedMrr'),
    contractionMrr: size('contractionMrr'),
    churnedMrr: size('churnedMrr'),
    netMrr: roundedSum(moved('netMrr')),
  };
}

const dateOfDay = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);

interface RevenueChange {
  readonly by: bigint;
  readonly at: Date;
  readonly reason: 'new' | 'expansion' | 'reactivated' | 'contraction' | 'churned';
}

/** Every change of a subscription's monthly revenue: by how many parts, when and why. */
function changesOf(versions: readonly RecordedVersion[], currency: string): RevenueChange[] {
  const changes: RevenueChange[] = [];
  let revenue = 0n;
  let at = new Date(0);
  const [first] = versions;
  if (first?.state.status === 'canceled') {
    // What is first seen canceled was active until then.
    revenue = partsOf({ ...first.state, status: 'active' }, currency);
    if (revenue !== 0n) {
      at = first.state.startedAt;
      changes.push({ by: revenue, at, reason: 'new' });
    }
  }
  for (const [index, { state, recordedAt }] of versions.entries()) {
    const by = partsOf(state, currency) - revenue;
    if (by === 0n) continue;
    // The first version takes effect at the start, an end when it ended, any other version when it was recorded.
    const effectiveAt = state.endedAt ?? (index === 0 ? state.startedAt : recordedAt);
    if (effectiveAt > at) at = effectiveAt;
    const reasonToRise = changes.length === 0 ? 'new' : revenue === 0n ? 'reactivated' : 'expansion';
    const reasonToFall = state.endedAt ? 'churned' : 'contraction';
    changes.push({ by, at, reason: by > 0n ? reasonToRise : reasonToFall });
    revenue += by;
  }
  return changes;
}
