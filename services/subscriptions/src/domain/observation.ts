import { isDeepStrictEqual } from 'node:util';
import { hasEnded } from '@billing/contracts/resources/subscription';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import type { SubscriptionTerms } from './subscription.ts';

/** What an event reports. Within one second of the processor these follow each other in this order. */
export const RANK = { created: 0, updated: 1, deleted: 2 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

/** Where an event stands in the order: the processor's time in whole seconds, the event's rank, its id. */
export interface EventPosition {
  readonly at: Date;
  readonly rank: Rank;
  readonly eventId: string;
}

/** What is recorded of a subscription, and how new it is. */
export interface RecordedState {
  readonly terms: SubscriptionTerms;
  /** The newest event that is included; null while only reads of the processor are. */
  readonly position: EventPosition | null;
  /** When the processor was read, by our clock, if what it returned is included. */
  readonly readAt: Date | null;
}

/** The subscription as it was read from the processor, outside of any transaction. */
export interface Reread {
  readonly snapshot: SubscriptionSnapshot;
  /** The record's revision before the read; null when there was no record. */
  readonly revision: number | null;
  /** By our clock. */
  readonly readAt: Date;
}

/**
 * What to do with an event:
 * - `apply`: it is newer than the record
 * - `confirm`: it is newer and shows what is recorded
 * - `stale`: it adds nothing
 * - `reread`: its order cannot be decided; only the processor knows which state holds
 */
export type Comparison = 'apply' | 'confirm' | 'stale' | 'reread';

/** How far our clock may differ from the processor's, in milliseconds. A larger difference only causes more reads. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Compares an event with the record so that every order of delivery leads to the same record. An end is final, unless what
 * a sync read long after it (`isRead`) shows that it was never true. The newer
 * event wins. Of two states in one second, and of an event and a read of about the same time, the processor decides.
 */
export function compareObservation(
  recorded: RecordedState,
  terms: SubscriptionTerms,
  position: EventPosition,
  { isRead = false }: { readonly isRead?: boolean | undefined } = {},
): Comparison {
  const ends = hasEnded(terms.status);
  if (ends !== hasEnded(recorded.terms.status))
    return ends || (isRead && isAfterAll(position, recorded)) ? 'apply' : 'stale';
  const age = recorded.position ? comparePositions(position, recorded.position) : 1;
  if (isDeepStrictEqual(recorded.terms, terms)) return age > 0 ? 'confirm' : 'stale';
  // No event is older than the creation.
  if (position.rank === RANK.created || age < 0) return 'stale';
  const { readAt } = recorded;
  const mayPrecedeRead = readAt !== null && position.at.getTime() <= readAt.getTime() + CLOCK_TOLERANCE_MS;
  return age === 0 || mayPrecedeRead ? 'reread' : 'apply';
}

/** An end is final, so one that the processor shows no more after it was recorded was never true. */
function isAfterAll({ at }: EventPosition, { position, readAt, terms: { endedAt } }: RecordedState): boolean {
  const times = [position?.at, readAt, endedAt].flatMap(time => (time ? [time.getTime() + CLOCK_TOLERANCE_MS] : []));
  return times.every(time => at.getTime() > time);
}

/**
 * Returns whether an event wins without a read, because the processor no longer has the subscription: the later event
 * does, and of two at the same position the one with the greater id.
 */
export function winsUnread(position: EventPosition, recorded: EventPosition | null): boolean {
  if (!recorded) return true;
  return (comparePositions(position, recorded) || (position.eventId > recorded.eventId ? 1 : -1)) > 0;
}

/** Returns whether a read of the record's current revision brings new terms. An end is final. */
export function bringsChange(recorded: SubscriptionTerms, read: SubscriptionTerms): boolean {
  if (hasEnded(recorded.status) && !hasEnded(read.status)) return false;
  return !isDeepStrictEqual(recorded, read);
}

/** Returns the later of two positions. */
export function laterPosition(a: EventPosition | null, b: EventPosition | null): EventPosition | null {
  if (!a || !b) return a ?? b;
  return comparePositions(a, b) >= 0 ? a : b;
}

/** Compares for sorting; 0 when the processor does not tell which event is the older one. */
export function comparePositions(a: EventPosition, b: EventPosition): number {
  return a.at.getTime() - b.at.getTime() || a.rank - b.rank;
}
