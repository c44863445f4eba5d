import { addDays, dayOf, daysBefore, endOfDay, type UtcDay } from './utc-day.ts';

/** The time that a request covers: from `start` (inclusive) to `now` (exclusive). */
export interface Window {
  readonly start: Date;
  readonly now: Date;
}

/** The last `days` × 24 hours. */
export const windowOf = (now: Date, days: number): Window => ({ start: daysBefore(now, days), now });

/** The same of the days that end with `to`, where that is before today. */
export const windowUntil = (now: Date, days: number, to: UtcDay | undefined): Window =>
  windowOf(to !== undefined && to < dayOf(now) ? endOfDay(to) : now, days);

/** A sampled window has at most this many steps. */
const MAX_STEPS = 30;

/** The days on which a window is sampled: ascending, evenly spaced, including its first and last day. */
export function sampleDays({ start, now }: Window, days: number): UtcDay[] {
  const [first, last] = [dayOf(start), dayOf(now)];
  const step = Math.max(1, Math.ceil(days / MAX_STEPS));
  const sampled: UtcDay[] = [];
  for (let day = first; day < last; day = addDays(day, step)) sampled.push(day);
  return [...sampled, last];
}

/** Consecutive days, from the first to the last. */
export interface DaySpan {
  readonly from: UtcDay;
  readonly date: UtcDay;
  readonly days: readonly UtcDay[];
}

/** The `count` days that end with `last` in spans of `step` days; the first span has what is left. */
export function lastSpans(last: UtcDay, count: number, step: number): DaySpan[] {
  const days = lastDays(last, count);
  const spans: DaySpan[] = [];
  for (let end = count; end > 0; end -= step) {
    const ofSpan = days.slice(Math.max(0, end - step), end);
    spans.unshift({ from: ofSpan[0] ?? last, date: ofSpan.at(-1) ?? last, days: ofSpan });
  }
  return spans;
}

/** The `count` days without gaps that end with `last`. */
const lastDays = (last: UtcDay, count: number): UtcDay[] =>
  Array.from({ length: count }, (_, index) => addDays(last, index + 1 - count));
