import { dayOf, type UtcDay } from './utc-day.ts';

/**
 * Marks the days before a project's first sync, and entries that begin before it: they are known only from what the sync
 * found.
 */
export function markEstimated<Day extends { readonly date: UtcDay; readonly from?: UtcDay }>(
  days: readonly Day[],
  firstSync: Date | null | undefined,
): (Day & { estimated?: true })[] {
  if (!firstSync) return [...days];
  const first = dayOf(firstSync);
  return days.map(day => ((day.from ?? day.date) < first ? { ...day, estimated: true } : day));
}
