import { useSyncExternalStore } from 'react';
import { READER_LOCALE } from './reader-locale.ts';

const DATE = new Intl.DateTimeFormat(READER_LOCALE, { dateStyle: 'medium' });
const DATE_TIME = new Intl.DateTimeFormat(READER_LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const DATE_SECONDS = new Intl.DateTimeFormat(READER_LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
const EXACT = new Intl.DateTimeFormat(READER_LOCALE, { dateStyle: 'full', timeStyle: 'long' });
const DAY = new Intl.DateTimeFormat(READER_LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const RELATIVE = new Intl.RelativeTimeFormat(READER_LOCALE, { numeric: 'auto' });

const FORMATS = { date: DATE, time: DATE_TIME, seconds: DATE_SECONDS };

/** Formats the day of a point in time, such as `2026-03-02T10:00:00.000Z`. */
export const formatDate = (at: string): string => DATE.format(new Date(at));

/** Formats a UTC day such as `2026-03-02`. */
export const formatDay = (day: string): string => DAY.format(new Date(`${day}T00:00:00Z`));

/** Units with their seconds, and until how many seconds a time is told in them. */
const UNITS = [
  ['second', 1, 60],
  ['minute', 60, 3_600],
  ['hour', 3_600, 86_400],
  ['day', 86_400, 7 * 86_400],
] as const;

/** Returns "3 minutes ago" for times within a week of `now`, and a date for others. */
function formatRelative(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  if (Math.abs(seconds) < 15) return RELATIVE.format(0, 'second');
  const fitting = UNITS.find(([, , end]) => Math.abs(seconds) < end);
  if (!fitting) return DATE.format(at);
  const [unit, size] = fitting;
  return RELATIVE.format(Math.round(seconds / size), unit);
}

/** Writes the times in a sentence of the API, such as `2026-03-02T10:00:00.000Z`, as the reader's locale does. */
export const withLocalTimes = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, at => DATE_TIME.format(new Date(at)));

const TICK_MS = 10_000;
let current = new Date();

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(() => {
    current = new Date();
    onTick();
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** The time, at most ten seconds old. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => current);

interface TimeProps {
  readonly at: string | null | undefined;
  readonly show?: keyof typeof FORMATS | 'relative';
}

/** A point in time in the reader's locale; hovering shows it exactly. A dash for none. */
export function Time({ at, show = 'date' }: TimeProps) {
  const now = useNow();
  if (!at) return <span className="muted">–</span>;
  const date = new Date(at);
  const text = show === 'relative' ? formatRelative(date, now) : FORMATS[show].format(date);
  return (
    <time dateTime={at} title={EXACT.format(date)} className="num">
      {text}
    </time>
  );
}
