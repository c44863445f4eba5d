import type { AnalyticsHistory } from '@billing/client';
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

/** Windows in days, and how many days one bar has. */
export const WINDOWS = [7, 30, 90, 365] as const;
const DAYS_PER_BAR: Readonly<Record<number, number>> = { 90: 7, 365: 30 };

/** Returns the window that the address names, 30 days by default. */
export const windowOf = (value: unknown): number => WINDOWS.find(days => days === Number(value)) ?? 30;

/** The history that a window shows: the API adds its days up, so that each amount is rounded once. */
export const historyOf = (days: number) => ({ days, step: DAYS_PER_BAR[days] ?? 1 });

/** Returns the reader's day some days before a time, such as `2026-03-02`: lists are filtered by these. */
export function localDayBefore(time: Date, days: number): string {
  const day = new Date(time.getFullYear(), time.getMonth(), time.getDate() - days);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map(part => String(part).padStart(2, '0')).join('-');
}

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
