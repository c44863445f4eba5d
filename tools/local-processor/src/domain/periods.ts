/** The billing intervals of recurring prices. */
type Interval = 'day' | 'week' | 'month' | 'year';

/** How often a recurring price is billed: every `count` intervals. */
export interface Cadence {
  interval: Interval;
  count: number;
}

const DAY_SECONDS = 86_400;
const SECONDS: Record<'day' | 'week', number> = { day: DAY_SECONDS, week: 7 * DAY_SECONDS };
const MONTHS: Record<'month' | 'year', number> = { month: 1, year: 12 };

/**
 * Returns the start of the `index`-th period after the billing anchor, in Unix seconds (UTC). A month without the
 * anchor's day uses its last day: 31 January, 28 February, 31 March.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/billing-cycle)
 */
export function periodStart(anchor: number, cadence: Cadence, index: number): number {
  const { interval, count } = cadence;
  if (interval === 'day' || interval === 'week') return anchor + index * count * SECONDS[interval];
  return addMonths(anchor, index * count * MONTHS[interval]);
}

/** Returns the period that contains `time` (start ≤ time < end), in Unix seconds; the first one for a time before it. */
export function periodAt(anchor: number, cadence: Cadence, time: number): { start: number; end: number } {
  let index = Math.max(0, Math.floor((time - anchor) / longestPeriod(cadence)));
  while (periodStart(anchor, cadence, index + 1) <= time) index += 1;
  return { start: periodStart(anchor, cadence, index), end: periodStart(anchor, cadence, index + 1) };
}

/** Returns whether a period is at most three years, which is Stripe's limit. */
export function isBillable({ interval, count }: Cadence): boolean {
  const most: Record<Interval, number> = { day: 1095, week: 156, month: 36, year: 3 };
  return count >= 1 && count <= most[interval];
}

function longestPeriod({ interval, count }: Cadence): number {
  const days: Record<Interval, number> = { day: 1, week: 7, month: 31, year: 366 };
  return days[interval] * count * DAY_SECONDS;
}

function addMonths(time: number, months: number): number {
  const from = new Date(time * 1000);
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const midnight = Date.UTC(from.getUTCFullYear(), month, day) / 1000;
  return midnight + (time % DAY_SECONDS);
}
