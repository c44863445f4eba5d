import type { Sync } from '@billing/client';

interface Counts {
  readonly compared: number;
  readonly read: number;
  /** Null until all objects of the type are read. */
  readonly total: number | null;
  readonly isRunning: boolean;
}

/** Whether a sync has not ended. */
export const isOpen = (sync: Pick<Sync, 'status'> | null | undefined): boolean =>
  sync?.status === 'queued' || sync?.status === 'running';

/** Says how far a type is compared: of how many is known once all are read. */
export function progressText({ compared, read, total, isRunning }: Counts): string {
  if (total !== null) return `${compared} of ${total}`;
  if (!isRunning) return `${compared} of ${read}`;
  return compared === 0 ? 'Not begun yet' : `${compared} so far`;
}

/** How many objects of a sync, or of one of its types, were compared, differ, and were taken over. */
interface Totals {
  readonly compared: number;
  readonly found: number;
  readonly applied: number;
}

/** Adds up the counts of one type. */
export function totalsOfType({ counts }: Pick<Sync, 'counts'>, type: Sync['types'][number]): Totals {
  const { applied = 0, ...outcomes } = counts[type] ?? {};
  const compared = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return { compared, found: compared - (counts[type]?.same ?? 0), applied };
}

/** Adds up the counts of all types. */
export const totalsOf = (sync: Pick<Sync, 'counts' | 'types'>): Totals =>
  sync.types
    .map(type => totalsOfType(sync, type))
    .reduce(
      (sum, one) => ({
        compared: sum.compared + one.compared,
        found: sum.found + one.found,
        applied: sum.applied + one.applied,
      }),
      { compared: 0, found: 0, applied: 0 },
    );
