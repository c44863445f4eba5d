import type { Finding, Limits } from '../finding.ts';

/** The rows of a table of durable work whose time has passed. */
export interface OverdueReading {
  readonly service: string;
  readonly table: string;
  readonly rows: number;
  /** Of the longest overdue one, in seconds. */
  readonly seconds: number;
}

/** Finds work that nobody does: its lease ended long ago, or nobody ever took it. */
export function checkLeases(readings: readonly OverdueReading[], { waitingSeconds }: Limits): Finding[] {
  return readings
    .filter(({ rows, seconds }) => rows > 0 && seconds > waitingSeconds)
    .map(({ service, table, rows, seconds }) => ({
      check: 'lease-expired',
      subject: `${service}.${table}`,
      problem: `${rows} rows of ${service}.${table} are due, one for ${Math.round(seconds)} s; nobody works on them.`,
      action: `See whether ${service} runs, and what its log says about leased work.`,
    }));
}
