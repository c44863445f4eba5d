import { openLeaseQueue, type LeaseQueue } from '@billing/database/lease-queue';
import type { Message } from './message.ts';

/** A message of the outbox that a relay has leased. */
export interface LeasedMessage extends Message {
  /** Its key in the outbox. */
  readonly sequence: string;
  readonly leaseId: string;
}

/** Messages with the events of committed transactions, for the relay of the same process. */
export type CommittedEvents = LeaseQueue<LeasedMessage>;

/** How long committed events stay leased for the relay of their own process; after a crash another relay finds them. */
export const COMMITTED_LEASE_SECONDS = 5;
/** A lease this old is too near its end to publish under, in milliseconds. */
const MAX_AGE_MS = 4_000;

/** Opens the queue between a process's transactions and its relay. */
export const openCommittedEvents = (): CommittedEvents =>
  openLeaseQueue({ maxAgeMs: MAX_AGE_MS, sizeOf: ({ body }) => body.length });
