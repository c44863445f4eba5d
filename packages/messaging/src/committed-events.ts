import { openLeaseQueue, type LeaseQueue } from '@billing/database/lease-queue';
import type { NewEvent } from './new-event.ts';

/** An event that a relay has leased. */
export interface LeasedOutboxEvent extends NewEvent {
  readonly leaseId: string;
}

/** Events of committed transactions, for the relay of the same process. */
export type CommittedEvents = LeaseQueue<LeasedOutboxEvent>;

/** How long committed events stay leased for the relay of their own process; after a crash another relay finds them. */
export const COMMITTED_LEASE_SECONDS = 5;
/** A lease this old is too near its end to publish under, in milliseconds. */
const MAX_AGE_MS = 4_000;

/** Opens the queue between a process's transactions and its relay. */
export const openCommittedEvents = (): CommittedEvents =>
  openLeaseQueue({ maxAgeMs: MAX_AGE_MS, sizeOf: ({ data }) => data.length });
