import type { Sync } from '@billing/client';

interface Counts {
  readonly compared: number;
  readonly read: number;
  /** Null until all objects of the type are read. */
  readonly total: number | null;
  readonly isRunning: boolean;
}

/** Whether a sync has not ended. */
export const isOpen = (sync: Pick<Sync, 'status'> | undefined): boolean =>
  sync?.status === 'queued' || sync?.status === 'running';

/** Says how far a type is compared: of how many is known once all are read. */
export function progressText({ compared, read, total, isRunning }: Counts): string {
  if (total !== null) return `${compared} of ${total}`;
  if (!isRunning) return `${compared} of ${read}`;
  return compared === 0 ? 'Not begun yet' : `${compared} so far`;
}
