/** A duration as people write it: `1 month`, `3 days`. */
export const DURATION = /^([1-9]\d{0,3}) (hour|day|week|month|year)s?$/;

const HOUR_MS = 3_600_000;
const HOURS_OF: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 7 * 24 };

/**
 * Returns the time a duration later, in UTC. After months and years the day stays within its month, as for periods of the
 * processor: a month after January 31 is the last of February.
 */
export function later(time: Date, duration: string): Date {
  const [, digits, unit = ''] = DURATION.exec(duration) ?? [];
  const count = Number(digits);
  const hours = HOURS_OF[unit];
  if (hours !== undefined) return new Date(time.getTime() + count * hours * HOUR_MS);
  const moved = new Date(time);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + count * (unit === 'year' ? 12 : 1));
  const daysOfMonth = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(time.getUTCDate(), daysOfMonth));
  return moved;
}
