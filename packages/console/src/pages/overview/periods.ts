import type { AnalyticsHistory } from '@billing/client';
import { createdWithin } from '#layout/date-range.tsx';
import type { Search } from '#layout/project-link.tsx';
import { formatDay } from '#ui/time.tsx';

type Entry = AnalyticsHistory['history'][number];

/** What revenue did in a period; losses are negative. */
export interface Period {
  readonly label: string;
  /** The period's first and last UTC day. */
  readonly from: string;
  readonly to: string;
  readonly mrr: number;
  readonly new: number;
  readonly expansion: number;
  readonly reactivated: number;
  readonly contraction: number;
  readonly churned: number;
  readonly net: number;
  /** Whether a day of it is before the first sync. */
  readonly estimated: boolean;
}

/** Days that figures are of, both included: `2026-03-02`. */
export interface Window {
  readonly days: number;
  readonly from: string;
  readonly to: string;
  /** Whether it ends today. */
  readonly isOpen: boolean;
}

/** Windows that end today, in days. */
export const WINDOWS = [7, 30, 90, 365] as const;
const MAX_DAYS = 365;
const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const addDays = (day: string, days: number): string => new Date(timeOf(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Returns the day that a part of the address names; undefined where it names none. */
export const dayIn = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(timeOf(value)) ? value : undefined;

/** Returns the window of as many days that ends with `to`; of 30 where `value` is no number up to a year. */
function lastDays(value: unknown, to: string, isOpen: boolean): Window {
  const given = Number(value);
  const days = Number.isInteger(given) && given >= 1 && given <= MAX_DAYS ? given : 30;
  return { days, from: addDays(to, 1 - days), to, isOpen };
}

/** Returns the window that the address names: `from` and `until`, at most a year, or the `days` until `to` or today. */
export function windowOf(search: Readonly<Record<string, unknown>>, now: Date): Window {
  const today = now.toISOString().slice(0, 10);
  const last = dayIn(search['until']) ?? dayIn(search['to']) ?? today;
  const to = last < today ? last : today;
  const from = dayIn(search['until']) || !dayIn(search['to']) ? dayIn(search['from']) : undefined;
  const days = from === undefined ? search['days'] : Math.min(MAX_DAYS, (timeOf(to) - timeOf(from)) / DAY_MS + 1);
  return lastDays(days, to, to === today);
}

/** Returns the window of as many days that ends before another begins. */
export const windowBefore = ({ days, from }: Window): Window => lastDays(days, addDays(from, -1), false);

/** The query of what analytics counts in a window. */
export const queryOf = ({ days, to, isOpen }: Window) => ({ growthDays: days, ...(!isOpen && { to }) });

/** The same days in the reader's zone, in which lists are filtered. */
export const rangeOf = ({ from, to, isOpen }: Window) => createdWithin(from, isOpen ? '' : to);

/** The filters of a list of what was created in a window. */
export const daysSearch = ({ from, to, isOpen }: Window): Search => ({ from, until: isOpen ? undefined : to });

/** What names a window in the address of a list behind a figure. */
export const windowSearch = ({ days, from, to, isOpen }: Window): Search => ({ days, ...(!isOpen && { from, to }) });

/** Says which days a window has: "in 30 days", or its first and last one. */
export const windowText = ({ days, from, to, isOpen }: Window): string =>
  isOpen ? `in ${days} ${days === 1 ? 'day' : 'days'}` : `from ${formatDay(from)} to ${formatDay(to)}`;

/** Says when a window began: "30 days ago". */
export const startText = ({ days, from, isOpen }: Window): string =>
  isOpen ? `${days} ${days === 1 ? 'day' : 'days'} ago` : `before ${formatDay(from)}`;

/** Returns how many days one bar has. */
const daysPerBar = (days: number): number => (days > 180 ? 30 : days > 45 ? 7 : 1);

/** The history that a window shows: the API adds its days up, so that each amount is rounded once. */
export const historyOf = ({ days, to, isOpen }: Window) => ({
  days,
  step: daysPerBar(days),
  ...(!isOpen && { to }),
});

export const toPeriod = (entry: Entry): Period => ({
  label: entry.from === entry.date ? formatDay(entry.date) : `${formatDay(entry.from)} – ${formatDay(entry.date)}`,
  from: entry.from,
  to: entry.date,
  mrr: entry.mrr,
  new: entry.newMrr,
  expansion: entry.expansionMrr,
  reactivated: entry.reactivatedMrr,
  // Not by a minus sign, which makes of 0 a negative zero: -$0.00.
  contraction: 0 - entry.contractionMrr,
  churned: 0 - entry.churnedMrr,
  net: entry.netMrr,
  estimated: entry.estimated === true,
});
