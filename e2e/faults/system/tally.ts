import type { TestContext } from 'vitest';
import type { Sent } from './sent.ts';

/** What became of the events of one run. */
export interface Tally {
  readonly sent: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** From the end of the fault until everything has an end, in milliseconds. */
  readonly drainMs: number;
}

declare module 'vitest' {
  interface TaskMeta {
    tally?: Tally;
  }
}

/** Adds a run to the totals that stand at the end of the output. */
export function recordTally(
  { task }: TestContext,
  { events }: Pick<Sent, 'events'>,
  findings: { readonly lost: readonly unknown[]; readonly doubled: readonly unknown[] },
  drainMs: number,
): void {
  const acknowledged = events.filter(({ outcome }) => outcome === 'ok').length;
  const before = task.meta.tally ?? { sent: 0, acknowledged: 0, lost: 0, doubled: 0, drainMs: 0 };
  task.meta.tally = {
    sent: before.sent + events.length,
    acknowledged: before.acknowledged + acknowledged,
    lost: before.lost + findings.lost.length,
    doubled: before.doubled + findings.doubled.length,
    drainMs: before.drainMs + drainMs,
  };
}
