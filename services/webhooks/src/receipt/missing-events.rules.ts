import { ENDPOINT_EVENT_TYPES, isHandled, OPTIONAL_EVENT_TYPES } from '@billing/contracts/processor-events';

const MINUTE_MS = 60_000;
/** How long Stripe keeps events. https://docs.stripe.com/api/events */
const RETENTION_MS = 30 * 24 * 60 * MINUTE_MS;
/** Scanned twice: Stripe's clock is not ours, and its list may lag. */
const OVERLAP_MS = 10 * MINUTE_MS;
/**
 * Types that every endpoint subscribes to, and those without which a record would stay wrong: an endpoint that does not
 * subscribe to `invoice.voided`, for example, would leave a voided invoice open. Other types may rightly be missing.
 */
const EXPECTED_TYPES: ReadonlySet<string> = new Set([...ENDPOINT_EVENT_TYPES, ...OPTIONAL_EVENT_TYPES]);

/** How far a team's events have been scanned. */
export interface ScanProgress {
  /** Events from before then have been scanned. */
  readonly scannedUntil: Date;
  /** Whether events that went undelivered before the account was connected have been scanned. */
  readonly hasBackfilled: boolean;
  /** When the last backup was restored: events from before then may be missing although they were delivered. */
  readonly restoredAt: Date | null;
}

/** One scan of Stripe's list of events. */
export interface Scan {
  readonly createdFrom: Date;
  readonly undeliveredOnly: boolean;
  readonly isWanted: (type: string) => boolean;
}

/**
 * Where events may be missing: among those that Stripe could not deliver, and among all since the last scan; at most 30 days
 * back. After a restore any type may be missing, since the endpoint subscribed to whatever was delivered.
 */
export function scansFor({ scannedUntil, hasBackfilled, restoredAt }: ScanProgress, now: Date): Scan[] {
  const earliest = new Date(now.getTime() - RETENTION_MS);
  const since = new Date(Math.max(scannedUntil.getTime() - OVERLAP_MS, earliest.getTime()));
  return [
    { createdFrom: hasBackfilled ? since : earliest, undeliveredOnly: true, isWanted: isHandled },
    {
      createdFrom: since,
      undeliveredOnly: false,
      isWanted: restoredAt && scannedUntil < restoredAt ? isHandled : type => EXPECTED_TYPES.has(type),
    },
  ];
}

/** Whether an event's webhook may still be on its way. Events of a test clock carry any time; only those near to now are young. */
export function isRecent(createdAt: Date, now: Date, graceMs: number): boolean {
  return Math.abs(now.getTime() - createdAt.getTime()) < graceMs;
}
