import { allTime, LIFETIME_METRIC, METRIC, oneAt, type Contribution } from './metrics.ts';
import { isLive } from './revenue.ts';
import type { Timeline } from './timeline.ts';

/** What a subscription adds to churn: each time in which it was active or trialing, by its start and end. */
export function lifetimeContributions({ periods, endedAt }: Timeline): Contribution[] {
  const turns = periods.filter(
    ({ status }, index) => isLive(status) !== isLive(periods[index - 1]?.status ?? 'canceled'),
  );
  const starts = turns.filter(({ status }) => isLive(status)).map(({ from }) => from);
  const lapses = turns.filter(({ status }) => !isLive(status)).map(({ from }) => from);
  const isOngoing = starts.length > lapses.length;
  const ends = isOngoing && endedAt ? [...lapses, endedAt] : lapses;
  return [
    ...starts.flatMap(time => oneAt(LIFETIME_METRIC.started, time)),
    ...ends.flatMap(time => oneAt(endedAt ? LIFETIME_METRIC.ended : LIFETIME_METRIC.lapsed, time)),
    ...(endedAt ? starts.flatMap(time => oneAt(LIFETIME_METRIC.startedAndEnded, time)) : []),
    ...(isOngoing && !endedAt ? [allTime(METRIC.ongoing)] : []),
  ];
}
