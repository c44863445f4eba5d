/** Where a state that an event shows stands in the order of an object's states. */
export interface EventOrder {
  /** Whether the object never leaves this state; false by default. */
  readonly isFinal?: boolean;
  /** The processor's time of the event, in whole seconds; a number is in milliseconds since 1970. */
  readonly at: Date | number;
  /** Orders the states of one second, as far as their kinds tell. */
  readonly rank: number;
}

/** Where an event stands in the order, as it is recorded. */
export interface EventPosition {
  /** The processor's time, in whole seconds. */
  readonly at: Date;
  readonly rank: number;
  /** Decides when nothing else does, so that every copy of a service decides alike. */
  readonly eventId: string;
}

/** A place before all events. */
export const BEFORE_EVENTS = { at: new Date(0), rank: -1 };

/** A time after all events. */
export const AFTER_EVENTS = new Date(8_640_000_000_000_000);

/**
 * The one rule of what is newer: a final state follows every other one, then the later time does, then the higher rank in
 * one second. Negative when `a` is older; 0 when only the processor can tell.
 */
export const compareOrder = (a: EventOrder, b: EventOrder): number =>
  Number(a.isFinal ?? false) - Number(b.isFinal ?? false) || Number(a.at) - Number(b.at) || a.rank - b.rank;

/** Returns events in their order, oldest first. */
export const sortByPosition = <Event extends { readonly position: EventPosition }>(events: readonly Event[]): Event[] =>
  events.toSorted((a, b) => compareOrder(a.position, b.position));

/** How new a record is. */
export interface RecordedOrder {
  /** Of the newest event that it includes. */
  readonly order: EventOrder;
  /**
   * It includes a reading or a change of our own, which have no place in the order: up to this time an event may be older
   * than that; null when it includes neither.
   */
  readonly unorderedUntil: Date | null;
}

/**
 * What to do with an event:
 * - `ignore`: it is older than the record
 * - `confirm`: it carries what the record has
 * - `apply`: it is newer
 * - `reread`: its order can't be decided from what we have; only the processor knows which state holds
 */
export type EventDecision = 'ignore' | 'confirm' | 'apply' | 'reread';

/** Decides what to do with an event; `isSame` if it shows what the record has. So every order of delivery ends alike. */
export function decide({ order, unorderedUntil }: RecordedOrder, event: EventOrder, isSame: boolean): EventDecision {
  const age = compareOrder(event, order);
  if (age < 0) return 'ignore';
  if (isSame) return 'confirm';
  if (event.isFinal && !order.isFinal) return 'apply';
  const mayBeOlder = unorderedUntil !== null && Number(event.at) <= unorderedUntil.getTime();
  return age === 0 || mayBeOlder ? 'reread' : 'apply';
}

/** How far a record has followed the processor's object. */
export interface FollowedRecord {
  /** When the newest event happened that the record includes; the processor counts whole seconds. */
  readonly processorUpdatedAt: Date | null;
  /** We changed the object ourselves, and the webhook event about that has not come back. */
  readonly awaitsWebhook: boolean;
  readonly deletedAt: Date | null;
}

/** Decides what to do with an event that happened at `createdAt`. What was deleted here is never revived. */
export function decideOnEvent(record: FollowedRecord, createdAt: Date, isSame: boolean): EventDecision {
  const { processorUpdatedAt, awaitsWebhook, deletedAt } = record;
  if (deletedAt) return 'ignore';
  const order = { at: processorUpdatedAt ?? BEFORE_EVENTS.at, rank: 0 };
  return decide({ order, unorderedUntil: awaitsWebhook ? AFTER_EVENTS : null }, { at: createdAt, rank: 0 }, isSame);
}

/** Returns the later of two times. */
export function later(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}
