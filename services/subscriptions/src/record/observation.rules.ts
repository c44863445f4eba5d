import { isDeepStrictEqual } from 'node:util';
import { hasEnded } from '@billing/contracts/resources/subscription';
import {
  AFTER_EVENTS,
  BEFORE_EVENTS,
  compareOrder,
  decide,
  type EventDecision,
  type EventPosition,
} from '@billing/processor/event-order';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import type { SubscriptionTerms } from './subscription.rules.ts';

/** What an event reports. Within one second of the processor these follow each other in this order. */
export const RANK = { created: 0, updated: 1, deleted: 2 } as const;
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
  /** The record's version before the read; null when there was no record. */
  readonly version: number | null;
  /** By our clock. */
  readonly readAt: Date;
}

/** How far our clock may differ from the processor's, in milliseconds. A larger difference only causes more reads. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Decides what to do with an event (`decide`). An end is final, unless what a sync read long after it (`isRead`) shows that
 * it was never true. No event is older than the creation. Of an event and a read of about the same time, the processor
 * tells which state holds.
 */
export function decideOnObservation(
  recorded: RecordedState,
  terms: SubscriptionTerms,
  position: EventPosition,
  { isRead = false }: { readonly isRead?: boolean | undefined } = {},
): EventDecision {
  const ends = hasEnded(terms.status);
  const hadEnded = hasEnded(recorded.terms.status);
  if (isRead && hadEnded && !ends && isAfterAll(position, recorded)) return 'apply';
  const isSame = isDeepStrictEqual(recorded.terms, terms);
  if (position.rank === RANK.created && !ends && !isSame) return 'ignore';
  const order = { ...(recorded.position ?? BEFORE_EVENTS), isFinal: hadEnded };
  // Events on a test clock have its time, and a reading has ours.
  const unorderedUntil =
    recorded.readAt &&
    (terms.testClockId === null ? new Date(recorded.readAt.getTime() + CLOCK_TOLERANCE_MS) : AFTER_EVENTS);
  return decide({ order, unorderedUntil }, { ...position, isFinal: ends }, isSame);
}

/** Returns when the deletion of its customer ended a subscription; undefined if an event or a reading of its own told the end. */
export function endByCustomer({ terms, position, readAt }: RecordedState): Date | undefined {
  const { endedAt } = terms;
  if (!endedAt || !position || position.rank === RANK.deleted || position.at >= endedAt) return undefined;
  return readAt && readAt >= endedAt ? undefined : endedAt;
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
  return position !== recorded && laterPosition(recorded, position) === position;
}

/** Returns whether a read of the record's current version brings new terms. An end is final. */
export function bringsChange(recorded: SubscriptionTerms, read: SubscriptionTerms): boolean {
  if (hasEnded(recorded.status) && !hasEnded(read.status)) return false;
  return !isDeepStrictEqual(recorded, read);
}

/** Returns the later of two positions; of two that only the processor could order, the one with the greater id. */
export function laterPosition(a: EventPosition | null, b: EventPosition | null): EventPosition | null {
  if (!a || !b) return a ?? b;
  return (compareOrder(a, b) || (a.eventId < b.eventId ? -1 : 1)) > 0 ? a : b;
}
