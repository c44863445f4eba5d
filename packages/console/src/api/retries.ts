import type { BillingError } from '@billing/client';

/** Why and until when the console waits before it sends a request again. */
export interface Waiting {
  readonly isBusy: boolean;
  /** By the clock of `Date.now()`. */
  readonly until: number;
}

/** Shorter pauses are over before anyone has read of them. */
const NOTICED_MS = 1_000;

let waiting: Waiting | undefined;
const listeners = new Set<() => void>();

function set(next: Waiting | undefined): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Notes that a request is sent again after a pause; the longest one that runs is shown. */
export function noteRetry({ status }: BillingError, pauseMs: number): void {
  const until = Date.now() + pauseMs;
  if (pauseMs < NOTICED_MS || until <= (waiting?.until ?? 0)) return;
  const next = { isBusy: status !== 0, until };
  set(next);
  setTimeout(() => waiting === next && set(undefined), pauseMs);
}

/** The pause that runs, for `useSyncExternalStore`. */
export const retries = {
  subscribe: (onChange: () => void): (() => void) => {
    listeners.add(onChange);
    return () => listeners.delete(onChange);
  },
  current: (): Waiting | undefined => waiting,
};
