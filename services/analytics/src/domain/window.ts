import { addDays, dayOf, daysBefore, type UtcDay } from './utc-day.ts';

/** The time that a request covers: from `start` (inclusive) to `now` (exclusive). */
export interface Window {
  readonly start: Date;
  readonly now: Date;
}

/** The last `days` × 24 hours. */
export const windowOf = (now: Date, days: number): Window => ({ start: daysBefore(now, days), now });

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

/** The `count` days without gaps that end with `last`. */
export const lastDays = (last: UtcDay, count: number): UtcDay[] =>
  Array.from({ length: count }, (_, index) => addDays(last, index + 1 - count));
