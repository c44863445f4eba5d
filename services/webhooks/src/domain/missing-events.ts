import { ENDPOINT_EVENT_TYPES, isHandled } from '@billing/contracts/processor-events';

const MINUTE_MS = 60_000;
/** The processor keeps its events for so long. https://docs.stripe.com/api/events */
const KEPT_MS = 30 * 24 * 60 * MINUTE_MS;
/** Looked through twice: the processor's clock is not ours, and its list may be behind. */
const OVERLAP_MS = 10 * MINUTE_MS;
/** Those that every endpoint is set up for: of other types it is no loss that none came. */
const EXPECTED_TYPES: ReadonlySet<string> = new Set(ENDPOINT_EVENT_TYPES);

/** How far a team's events have been looked through. */
export interface Progress {
  /** Events from before then have been looked for. */
  readonly healedUntil: Date;
  /** Whether what went undelivered before the account was connected has been looked for. */
  readonly lookedBack: boolean;
}

/** What to look for in the processor's list of events. */
export interface Search {
  readonly createdFrom: Date;
  readonly undeliveredOnly: boolean;
  readonly isWanted: (type: string) => boolean;
}

/**
 * Where events may be missing: among those that the processor could not deliver, and among all since the last time; at
 * most 30 days back.
 */
export function searchesFor({ healedUntil, lookedBack }: Progress, now: Date): Search[] {
  const earliest = new Date(now.getTime() - KEPT_MS);
  const since = new Date(Math.max(healedUntil.getTime() - OVERLAP_MS, earliest.getTime()));
  return [
    { createdFrom: lookedBack ? since : earliest, undeliveredOnly: true, isWanted: isHandled },
    { createdFrom: since, undeliveredOnly: false, isWanted: type => EXPECTED_TYPES.has(type) },
  ];
}

/** Whether an event's webhook may still be on its way. Events of a test clock bear any time, and those far from now are not young. */
export function isUnderWay(createdAt: Date, now: Date, graceMs: number): boolean {
  return Math.abs(now.getTime() - createdAt.getTime()) < graceMs;
}
