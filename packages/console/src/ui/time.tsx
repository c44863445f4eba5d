import { useSyncExternalStore } from 'react';
import { READER_LOCALE } from './reader-locale.ts';

const DATE = new Intl.DateTimeFormat(READER_LOCALE, { dateStyle: 'medium' });
const DATE_TIME = new Intl.DateTimeFormat(READER_LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const DATE_SECONDS = new Intl.DateTimeFormat(READER_LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
const EXACT = new Intl.DateTimeFormat(READER_LOCALE, { dateStyle: 'full', timeStyle: 'long' });
const DAY = new Intl.DateTimeFormat(READER_LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const RELATIVE = new Intl.RelativeTimeFormat(READER_LOCALE, { numeric: 'auto' });

const FORMATS = { date: DATE, time: DATE_TIME, seconds: DATE_SECONDS };

/** Formats a UTC day such as `2026-03-02`. */
export const formatDay = (day: string): string => DAY.format(new Date(`${day}T00:00:00Z`));

/** Returns "3 minutes ago" for times within a week of `now`, and a date for others. */
function formatRelative(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  const [unit, size] = unitOf(Math.abs(seconds));
  if (unit === undefined) return DATE.format(at);
  return size === 1 && Math.abs(seconds) < 15
    ? RELATIVE.format(0, 'second')
    : RELATIVE.format(Math.round(seconds / size), unit);
}

function unitOf(seconds: number): [Intl.RelativeTimeFormatUnit | undefined, number] {
  if (seconds < 60) return ['second', 1];
  if (seconds < 3_600) return ['minute', 60];
  if (seconds < 86_400) return ['hour', 3_600];
  return seconds < 7 * 86_400 ? ['day', 86_400] : [undefined, 1];
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

/** A point in time in the reader's locale; hovering shows it exactly. A dash for none. */
export function Time({
  at,
  show = 'date',
}: {
  readonly at: string | null | undefined;
  readonly show?: 'date' | 'time' | 'seconds' | 'relative';
}) {
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
