import type { Fraction } from '@billing/contracts/item-revenue';
import type { AnalyticsHistory, MovementMetric } from '@billing/contracts/resources/analytics';
import {
  DAY,
  dayNumber,
  PARTS,
  partsOf,
  roundedSum,
  statesOf,
  type Life,
  type ProjectRecords,
} from './reference-model.ts';

/** The daily history as the README defines it, computed directly from all versions of all subscriptions. */
export function expectedHistory(records: ProjectRecords, currency: string, now: Date, days: number, step = 1) {
  const changes = records.lives.flatMap(life => changesOf(life, currency));
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
  const changes = records.lives.flatMap(life => changesOf(life, currency));
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
  const moved = records.lives.flatMap(life => {
    const parts = changesOf(life, currency).filter(it => isWithin(it.at) && isPartOf(metric, it));
    const sum = parts.reduce((all, { by }) => all + by, 0n);
    const numerator = metric === 'contractionMrr' || metric === 'churnedMrr' ? -sum : sum;
    return parts.length > 0 ? [[life.newest.id, { numerator, denominator: PARTS }] as const] : [];
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
function changesOf(life: Life, currency: string): RevenueChange[] {
  const { newest } = life;
  const { startedAt, endedAt, status } = newest;
  const known = statesOf(life).map(({ state, at }) => ({ revenue: partsOf(state, currency), at }));
  // What is first seen canceled was active until then.
  const isPresumed = known.length === 0 && status === 'canceled';
  const before = isPresumed ? [{ revenue: partsOf({ ...newest, status: 'active' }, currency), at: startedAt }] : known;
  const changes: RevenueChange[] = [];
  let revenue = 0n;
  for (const { revenue: next, at } of [...before, ...(endedAt ? [{ revenue: 0n, at: endedAt }] : [])]) {
    const reasonToRise = changes.length === 0 ? 'new' : revenue === 0n ? 'reactivated' : 'expansion';
    const reasonToFall = at === endedAt ? 'churned' : 'contraction';
    const by = next - revenue;
    if (by !== 0n) changes.push({ by, at, reason: by > 0n ? reasonToRise : reasonToFall });
    revenue = next;
  }
  return changes;
}
