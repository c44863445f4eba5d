import type { UtcDay } from './utc-day.ts';

/**
 * Customers at the end of each of the ascending days, the last of which is today and has all of them: backwards from the
 * present total, taking off what each later day gained.
 */
export function customerGrowth(
  days: readonly UtcDay[],
  total: bigint,
  gained: ReadonlyMap<UtcDay, bigint>,
): { date: UtcDay; count: number }[] {
  const latestFirst = [...gained].toSorted(([one], [other]) => (one < other ? 1 : -1));
  let next = 0;
  let count = total;
  const growth = days.toReversed().map((date, index) => {
    if (index > 0)
      for (let later = latestFirst[next]; later && later[0] > date; later = latestFirst[(next += 1)]) count -= later[1];
    return { date, count: Number(count) };
  });
  return growth.toReversed();
}
