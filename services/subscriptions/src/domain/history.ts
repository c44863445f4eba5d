import { isDeepStrictEqual } from 'node:util';
import { SHOWN_BY, type ShownBy, type ShownState } from '@billing/contracts/events/subscriptions';
import { hasEnded } from '@billing/contracts/resources/subscription';
import type { EventPosition } from '@billing/processor/event-order';
import { RANK } from './observation.ts';
import type { SubscriptionTerms } from './subscription.ts';

/** All states that were shown of a subscription before it ended, each once. */
export type History = readonly ShownState[];

/** A state at one time. */
export interface Point {
  readonly state: Omit<ShownState, 'shown'>;
  readonly at: Date;
  readonly by: ShownBy;
}

/** How many times a history has at most. More than that are thinned out where it shows nothing. */
const MAX_TIMES = 2_000;
/** How many items its states have at most together, so that a message can carry it: what was before is forgotten. */
const MAX_ITEMS = 500;

/** Returns what an event shows; undefined of an end, which is final and which the record has. */
export function pointOfEvent(terms: SubscriptionTerms, { at, rank }: EventPosition): Point | undefined {
  return pointOf(terms, at, rank === RANK.created ? SHOWN_BY.created : SHOWN_BY.updated);
}

/** Returns what a reading shows; undefined of an end. */
export const pointOfReading = (terms: SubscriptionTerms, readAt: Date): Point | undefined =>
  pointOf(terms, readAt, SHOWN_BY.reading);

function pointOf({ status, trialEnd, items }: SubscriptionTerms, at: Date, by: ShownBy): Point | undefined {
  if (hasEnded(status)) return undefined;
  const priced = items.map(({ processorPriceId: _theirs, ...item }) => item);
  return { state: { status, hasTrial: trialEnd !== null, items: priced }, at, by };
}

/**
 * Adds points to a history, which is the same for every order in which they come. Returns the same object when it has them
 * already. No point but a repeated one is left out, since a late one may fall between any two, also of the same state.
 */
export function addToHistory(history: History, points: readonly (Point | undefined)[]): History {
  let next = history;
  for (const point of points) if (point) next = addPoint(next, point);
  return next === history ? history : thinned(next);
}

function addPoint(history: History, { state, at, by }: Point): History {
  const time: ShownState['shown'][number] = [at.getTime(), by];
  const known = history.find(({ shown: _times, ...other }) => isDeepStrictEqual(other, state));
  if (!known) return [...history, { ...state, shown: [time] }];
  if (known.shown.some(([ms, how]) => ms === time[0] && how === by)) return history;
  return history.map(it => (it === known ? { ...it, shown: [...it.shown, time] } : it));
}

/** Leaves out times, the oldest first: those at which nothing changed, then as many as are still too many. */
function thinned(history: History): History {
  const all = history
    .flatMap(state => state.shown.map(time => ({ state, time })))
    .toSorted((one, other) => one.time[0] - other.time[0]);
  const surplus = all.length - MAX_TIMES;
  if (surplus <= 0 && sizeOf(history) <= MAX_ITEMS) return history;
  const idle = all.filter(({ state }, index) => all[index - 1]?.state === state && all[index + 1]?.state === state);
  const left = new Set(idle.slice(0, Math.max(0, surplus)).map(({ time }) => time));
  const states = new Set<ShownState>();
  const newest = new Set<ShownState['shown'][number]>();
  let items = 0;
  for (const { state, time } of all.toReversed()) {
    if (left.has(time)) continue;
    const added = states.has(state) ? 0 : sizeOf([state]);
    if (newest.size >= MAX_TIMES || items + added > MAX_ITEMS) break;
    items += added;
    states.add(state);
    newest.add(time);
  }
  return history
    .filter(state => states.has(state))
    .map(state => ({ ...state, shown: state.shown.filter(time => newest.has(time)) }));
}

/** How many items the states have together; one without items counts as one. */
const sizeOf = (states: History): number => states.reduce((sum, { items }) => sum + Math.max(items.length, 1), 0);
