import { allTime, LIFETIME_METRIC, METRIC, oneAt, type Contribution, type TimedMetric } from './metrics.ts';
import { effectiveAt, type RevenuePeriod } from './revenue-periods.ts';
import { laterOf } from './utc-day.ts';

/** When a subscription became active or trialing, and when it ceased to be; sorted. It starts again only after it ceased. */
interface Turns {
  readonly starts: Date[];
  readonly ends: Date[];
}

/**
 * What a subscription adds to churn: each time in which it was active or trialing, by its start and end. One that is first
 * seen canceled was active from its start to its end. No time lasts beyond the end of the subscription.
 *
 * `periods` are all of its periods, or the last one of those in `former`, which are its contributions so far, and the later
 * ones; then it must not have ended so far.
 */
export function lifetimeContributions(
  periods: readonly RevenuePeriod[],
  former?: readonly Contribution[],
): Contribution[] {
  const turns: Turns = former ? turnsIn(former) : { starts: [], ends: [] };
  for (const [index, period] of periods.entries()) addTurns(turns, period, index === 0 && !former);
  const last = periods.at(-1);
  const endedAt = last?.endedAt ? laterOf(last.startedAt, last.endedAt) : null;
  const starts = turns.starts.map(time => earlierOf(time, endedAt));
  const ends = turns.ends.map(time => earlierOf(time, endedAt));
  return [
    ...starts.flatMap(time => oneAt(LIFETIME_METRIC.started, time)),
    ...ends.flatMap(time => oneAt(endedAt ? LIFETIME_METRIC.ended : LIFETIME_METRIC.lapsed, time)),
    ...(endedAt ? starts.flatMap(time => oneAt(LIFETIME_METRIC.startedAndEnded, time)) : []),
    ...(starts.length > ends.length ? [allTime(METRIC.ongoing)] : []),
  ];
}

function addTurns({ starts, ends }: Turns, period: RevenuePeriod, isFirst: boolean): void {
  if (isFirst && period.phase === 'canceled') starts.push(period.startedAt);
  const wasLive = starts.length > ends.length;
  if ((period.phase === 'live') === wasLive) return;
  const at = [starts.at(-1), ends.at(-1)].reduce<Date>(
    (latest, time) => (time ? laterOf(latest, time) : latest),
    effectiveAt(period, isFirst),
  );
  (wasLive ? ends : starts).push(at);
}

const LIFETIME_METRICS: ReadonlySet<string> = new Set([
  METRIC.ongoing,
  ...Object.values(LIFETIME_METRIC).flatMap(({ daily, hourly, exact }) => [daily, hourly, exact]),
]);

/** Returns whether `lifetimeContributions` made a contribution. */
export const isOfLifetime = ({ metric }: Contribution): boolean => LIFETIME_METRICS.has(metric);

/** Returns whether the times of a subscription's contributions are known exactly; those from before were not. */
export const hasExactTimes = (contributions: readonly Contribution[]): boolean =>
  contributions.every(({ metric }) => metric !== LIFETIME_METRIC.started.daily) ||
  contributions.some(({ metric }) => metric === LIFETIME_METRIC.started.exact);

function turnsIn(contributions: readonly Contribution[]): Turns {
  const timesOf = ({ exact }: TimedMetric) =>
    contributions
      .filter(({ metric }) => metric === exact)
      .flatMap(({ bucket, amount }) => Array.from({ length: Number(amount) }, () => new Date(bucket)))
      .toSorted((one, other) => one.getTime() - other.getTime());
  return { starts: timesOf(LIFETIME_METRIC.started), ends: timesOf(LIFETIME_METRIC.lapsed) };
}

const earlierOf = (time: Date, limit: Date | null): Date => (limit && limit < time ? limit : time);
