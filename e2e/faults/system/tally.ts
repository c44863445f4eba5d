import type { TestContext } from 'vitest';
import type { Sent } from './sent-requests.ts';

/** The events of one run, by result. */
export interface Tally {
  readonly sent: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicated: number;
  /** From the end of the fault until every event was completed, in milliseconds. */
  readonly drainMs: number;
}

declare module 'vitest' {
  interface TaskMeta {
    tally?: Tally;
  }
}

/** Adds a run to the totals that the reporter prints at the end. */
export function recordTally(
  { task }: TestContext,
  { events }: Pick<Sent, 'events'>,
  violations: { readonly lost: readonly unknown[]; readonly duplicated: readonly unknown[] },
  drainMs: number,
): void {
  const acknowledged = events.filter(({ outcome }) => outcome === 'ok').length;
  const before = task.meta.tally ?? { sent: 0, acknowledged: 0, lost: 0, duplicated: 0, drainMs: 0 };
  task.meta.tally = {
    sent: before.sent + events.length,
    acknowledged: before.acknowledged + acknowledged,
    lost: before.lost + violations.lost.length,
    duplicated: before.duplicated + violations.duplicated.length,
    drainMs: before.drainMs + drainMs,
  };
}
