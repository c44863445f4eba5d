import { setTimeout as pause } from 'node:timers/promises';

/** Events received within one interval that make a flood, and the interval in milliseconds. */
const FLOOD_SIZE = 50;
const INTERVAL_MS = 100;
/** How long a flood is only stored before its events are processed, in milliseconds. */
const LONGEST_FLOOD_MS = 5_000;

/** Gives storing events priority over processing them while a flood comes in. */
export interface FloodGate {
  /** An event was stored. */
  readonly received: () => void;
  /** Waits during a flood. */
  readonly pass: () => Promise<void>;
  /** Waits no more. */
  readonly open: () => void;
}

/**
 * Opens the gate in front of processing. Stripe waits for its response, and stored events are safe. After a wait they are
 * processed for as long as it took, so that an endless flood can't stop processing.
 */
export function openFloodGate(): FloodGate {
  let received = 0;
  let openUntil = 0;
  let isOpen = false;

  return {
    received: () => {
      received += 1;
    },
    async pass() {
      const startedAt = performance.now();
      const isFlood = () => received >= FLOOD_SIZE && !isOpen && performance.now() < startedAt + LONGEST_FLOOD_MS;
      if (startedAt >= openUntil && isFlood()) {
        while (isFlood()) {
          received = 0;
          await pause(INTERVAL_MS);
        }
        openUntil = 2 * performance.now() - startedAt;
      }
      received = 0;
    },
    open: () => {
      isOpen = true;
    },
  };
}
