import type { UtcDay } from './utc-day.ts';

/**
 * The number of customers at the end of each day. The days ascend and end today or before. Counts backwards from the
 * present `total`, subtracting the net new customers of each later day; today includes everything dated later.
 */
export function customerGrowth(
  days: readonly UtcDay[],
  total: bigint,
  netNew: ReadonlyMap<UtcDay, bigint>,
  today = days.at(-1) ?? '',
): { date: UtcDay; count: number }[] {
  const latestFirst = [...netNew].toSorted(([one], [other]) => (one < other ? 1 : -1));
  let next = 0;
  let count = total;
  const growth = days.toReversed().map(date => {
    if (date < today)
      for (let later = latestFirst[next]; later && later[0] > date; later = latestFirst[(next += 1)]) count -= later[1];
    return { date, count: Number(count) };
  });
  return growth.toReversed();
}
