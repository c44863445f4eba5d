import { placeOf, quantityAt, subscriptionId, type Shop } from './subscription-events.ts';

/**
 * Compares what is kept with the last event of each subscription among the first `sent`.
 * @throws Error that says how many differ
 */
export function requireNewest(shop: Shop, sent: number, quantityOf: (id: string) => number | undefined): void {
  const newest = new Map<number, number>();
  for (let number = 0; number < sent; number += 1) {
    const { index, sequence } = placeOf(shop, number);
    newest.set(index, quantityAt(sequence));
  }
  const wrong = [...newest].filter(([index, quantity]) => quantityOf(subscriptionId(index)) !== quantity);
  if (wrong.length > 0) throw new Error(`${wrong.length} of ${newest.size} subscriptions lack their last event.`);
}
