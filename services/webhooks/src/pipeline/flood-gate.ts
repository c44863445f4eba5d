import { setTimeout as pause } from 'node:timers/promises';

/** How many events within one interval make a flood, and the interval in milliseconds. */
const FLOOD_SIZE = 25;
const INTERVAL_MS = 100;
/** How long a flood is only stored before its events are processed, in milliseconds. */
const LONGEST_FLOOD_MS = 5_000;

/** Gives storing events priority over processing them while a flood comes in. */
export interface FloodGate {
  /** An event was stored. */
  readonly received: () => void;
  /** Waits during a flood. */
  readonly pass: () => Promise<void>;
  /** Makes waiting callers pass, and later ones too. */
  readonly open: () => void;
}

/**
 * Opens the gate in front of processing. Stripe waits for its response, and stored events are safe. After a wait they are
 * processed for as long as it took, so that an endless flood can't stop processing.
 */
export function openFloodGate(): FloodGate {
  let intervalStartedAt = 0;
  let inInterval = 0;
  let inLastInterval = 0;
  let processUntil = 0;
  const opening = new AbortController();

  const count = (received: number): void => {
    const now = performance.now();
    const age = now - intervalStartedAt;
    if (age >= INTERVAL_MS) {
      inLastInterval = age < 2 * INTERVAL_MS ? inInterval : 0;
      inInterval = 0;
      intervalStartedAt = now;
    }
    inInterval += received;
  };
  const isFlood = (): boolean => {
    count(0);
    return Math.max(inInterval, inLastInterval) >= FLOOD_SIZE;
  };

  return {
    received: () => count(1),
    async pass() {
      const startedAt = performance.now();
      if (startedAt < processUntil || opening.signal.aborted || !isFlood()) return;
      do await pause(INTERVAL_MS);
      while (isFlood() && performance.now() < startedAt + LONGEST_FLOOD_MS && !opening.signal.aborted);
      processUntil = 2 * performance.now() - startedAt;
    },
    open: () => opening.abort(),
  };
}
