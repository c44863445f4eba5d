import { addDays, dayOf, daysBefore, type UtcDay } from './utc-day.ts';

/** The time a request looks back over: from `start` up to, and without, `now`. */
export interface Window {
  readonly start: Date;
  readonly now: Date;
}

/** The last `days` times 24 hours. */
export const windowOf = (now: Date, days: number): Window => ({ start: daysBefore(now, days), now });

/** At most about so many points are drawn. */
const MAX_STEPS = 30;

/** The days on which a window is sampled: ascending, evenly spaced, its first and its last day among them. */
export function sampleDays({ start, now }: Window, days: number): UtcDay[] {
  const [first, last] = [dayOf(start), dayOf(now)];
  const step = Math.max(1, Math.ceil(days / MAX_STEPS));
  const sampled: UtcDay[] = [];
  for (let day = first; day < last; day = addDays(day, step)) sampled.push(day);
  return [...sampled, last];
}
