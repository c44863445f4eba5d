/** The lengths a recurring price may bill for. */
type Interval = 'day' | 'week' | 'month' | 'year';

/** How often a recurring price bills: every `count` intervals. */
export interface Cadence {
  interval: Interval;
  count: number;
}

const DAY_SECONDS = 86_400;
const SECONDS: Record<'day' | 'week', number> = { day: DAY_SECONDS, week: 7 * DAY_SECONDS };
const MONTHS: Record<'month' | 'year', number> = { month: 1, year: 12 };

/**
 * The start of the `index`-th period counted from the billing anchor, in Unix seconds, UTC.
 * Months keep the anchor's day where the month has it and else end on its last day, so 31 January is followed by
 * 28 February and then by 31 March (Stripe: https://docs.stripe.com/billing/subscriptions/billing-cycle).
 */
export function periodStart(anchor: number, cadence: Cadence, index: number): number {
  const { interval, count } = cadence;
  if (interval === 'day' || interval === 'week') return anchor + index * count * SECONDS[interval];
  return addMonths(anchor, index * count * MONTHS[interval]);
}

/** The period that holds `moment` (start ≤ moment < end), in Unix seconds; a moment before the anchor is in the first. */
export function periodAt(anchor: number, cadence: Cadence, moment: number): { start: number; end: number } {
  let index = Math.max(0, Math.floor((moment - anchor) / longestPeriod(cadence)));
  while (periodStart(anchor, cadence, index + 1) <= moment) index += 1;
  return { start: periodStart(anchor, cadence, index), end: periodStart(anchor, cadence, index + 1) };
}

/** True if a period of this cadence is no longer than three years, the longest that Stripe bills for. */
export function isBillable({ interval, count }: Cadence): boolean {
  const most: Record<Interval, number> = { day: 1095, week: 156, month: 36, year: 3 };
  return count >= 1 && count <= most[interval];
}

function longestPeriod({ interval, count }: Cadence): number {
  const days: Record<Interval, number> = { day: 1, week: 7, month: 31, year: 366 };
  return days[interval] * count * DAY_SECONDS;
}

function addMonths(moment: number, months: number): number {
  const from = new Date(moment * 1000);
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const midnight = Date.UTC(from.getUTCFullYear(), month, day) / 1000;
  return midnight + (moment % DAY_SECONDS);
}
