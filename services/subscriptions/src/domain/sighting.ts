import { isDeepStrictEqual } from 'node:util';
import { hasEnded, type SubscriptionTerms } from './subscription.ts';

/** What an event tells of: a birth, a change or a death; within one second of the processor they follow in this order. */
export const RANK = { created: 0, updated: 1, deleted: 2 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

/** When the processor said something: its `created`, in whole seconds, the kind of event, and its id. */
export interface Moment {
  readonly at: Date;
  readonly rank: Rank;
  readonly eventId: string;
}

/** What is known of a subscription, and since when. */
export interface KnownSubscription {
  readonly terms: SubscriptionTerms;
  /** The newest event that is included; null while only the processor's own answers are. */
  readonly asOf: Moment | null;
  /** When, by our clock, the processor was last asked and its answer kept. */
  readonly readAt: Date | null;
}

/**
 * What to do about an event:
 * - `apply`: it is newer
 * - `confirm`: it is newer and says what is known already
 * - `stale`: it brings nothing
 * - `ask`: it cannot be told whether it is newer, only the processor knows
 */
export type Judgement = 'apply' | 'confirm' | 'stale' | 'ask';

/** How far our clock may be from the processor's, in milliseconds. A wider gap delays the truth but does not change it. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Judges an event so that every order of delivery ends in the same state: an end is final, the newer event wins, and
 * where times are equal or an answer of the processor may be newer than the event, the processor is asked.
 */
export function judge(known: KnownSubscription, terms: SubscriptionTerms, moment: Moment): Judgement {
  const ends = hasEnded(terms.status);
  if (ends !== hasEnded(known.terms.status)) return ends ? 'apply' : 'stale';
  const age = known.asOf ? compareMoments(moment, known.asOf) : 1;
  if (isDeepStrictEqual(known.terms, terms)) return age > 0 ? 'confirm' : 'stale';
  // Nothing is older than a birth, so whatever is known came after it.
  if (moment.rank === RANK.created || age < 0) return 'stale';
  const mayPrecedeAnswer = known.readAt !== null && moment.at.getTime() <= known.readAt.getTime() + CLOCKS_DIFFER_MS;
  return age === 0 || mayPrecedeAnswer ? 'ask' : 'apply';
}

/**
 * Settles a doubt without the processor, which knows no such subscription any more: the newer event wins, and of two
 * of one time the one with the greater id, so that every order still ends in the same state.
 */
export function isLater(moment: Moment, known: Moment | null): boolean {
  if (!known) return true;
  return (compareMoments(moment, known) || (moment.eventId > known.eventId ? 1 : -1)) > 0;
}

/** Whether an answer of the processor, given after everything known, brings something new. An end is final. */
export function isNews(known: SubscriptionTerms, answer: SubscriptionTerms): boolean {
  if (hasEnded(known.status) && !hasEnded(answer.status)) return false;
  return !isDeepStrictEqual(known, answer);
}

/** The later of two moments. */
export function laterOf(a: Moment | null, b: Moment | null): Moment | null {
  if (!a || !b) return a ?? b;
  return compareMoments(a, b) >= 0 ? a : b;
}

/** Negative when `a` is the earlier one; 0 when the processor does not tell them apart. */
export function compareMoments(a: Moment, b: Moment): number {
  return a.at.getTime() - b.at.getTime() || a.rank - b.rank;
}
