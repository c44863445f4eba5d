import { SHOWN_BY, type ShownBy, type ShownState } from '@billing/contracts/events/subscriptions';
import { hasEnded } from '@billing/contracts/resources/subscription';
import type { EventPosition } from '@billing/processor/event-order';
import { RANK } from './observation.rules.ts';
import type { SubscriptionTerms } from './subscription.rules.ts';

/** Returns what an event shows; none of an end, which is final and which the record has. */
export const shownByEvent = (terms: SubscriptionTerms, { at, rank }: EventPosition): ShownState[] =>
  shownState(terms, at, rank === RANK.created ? SHOWN_BY.created : SHOWN_BY.updated);

/** Returns what a reading shows; none of an end. */
export const shownByReading = (terms: SubscriptionTerms, readAt: Date): ShownState[] =>
  shownState(terms, readAt, SHOWN_BY.reading);

function shownState({ status, trialEnd, items }: SubscriptionTerms, at: Date, by: ShownBy): ShownState[] {
  if (hasEnded(status)) return [];
  const priced = items.map(({ processorPriceId: _price, processorProductId: _product, ...item }) => item);
  return [{ status, hasTrial: trialEnd !== null, items: priced, at, by }];
}

/** How much a message may carry, by `weightOf`: then it stays below half a megabyte. */
export const MAX_WEIGHT = 1_500;

/** How much of a message a state takes: each of its items is about as long as the rest. */
export const weightOf = ({ items }: Pick<ShownState, 'items'>): number => items.length + 1;

/** Divides states into parts that a message can carry, at least one; a state is never divided. */
export function inParts(states: readonly ShownState[]): [ShownState[], ...ShownState[][]] {
  const parts: [ShownState[], ...ShownState[][]] = [[]];
  let [part] = parts;
  let weight = 0;
  for (const state of states) {
    weight += weightOf(state);
    if (weight > MAX_WEIGHT && part.length > 0) {
      part = [];
      parts.push(part);
      weight = weightOf(state);
    }
    part.push(state);
  }
  return parts;
}
