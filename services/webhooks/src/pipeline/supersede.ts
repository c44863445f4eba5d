import { isDeepStrictEqual } from 'node:util';
import type { Merging } from '@billing/database/lease-queue';
import { SUPERSEDING_UPDATES } from '#domain/superseding-updates.ts';
import type { LeasedEvent } from './lease.ts';

/** So that a batch of events completes a bounded number of them. */
export const MAX_SUPERSEDED = 20;

/**
 * Of the updates of one object that wait at the same time, the newest supersedes the others: it shows all that they changed, so it
 * alone is mirrored, routed and published, and completes them too. If it does not, because it failed or goes elsewhere,
 * their leases end, and each is processed by itself.
 */
export const SUPERSEDING: Merging<LeasedEvent> = {
  keyOf: ({ type, objectId }) =>
    objectId !== null && SUPERSEDING_UPDATES.includes(type) ? `${type} ${objectId}` : null,
  merge(waiting, added) {
    const [older, newer] = waiting.createdAt < added.createdAt ? [waiting, added] : [added, waiting];
    const superseded = [...older.superseded, ...newer.superseded, older];
    return superseded.length <= MAX_SUPERSEDED && isSuperseded(older, newer)
      ? { ...newer, superseded: superseded.map(({ teamId, id, leaseId }) => ({ teamId, id, leaseId })) }
      : null;
  },
};

/** Of two events in one second nobody knows the order. A final status is never replaced. */
const isSuperseded = (older: LeasedEvent, newer: LeasedEvent): boolean =>
  older.createdAt < newer.createdAt && !older.isFinal && isDeepStrictEqual(older.hints, newer.hints);
