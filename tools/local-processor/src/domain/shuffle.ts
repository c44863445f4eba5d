/** The order of events or deliveries: as they were created, or another; a seed gives a pseudo-random one. */
export type Order = 'created' | 'reversed' | { seed: number };

/** Returns rows, which are newest first, in an order. */
export function inOrder<Row>(newestFirst: Row[], order: Order): Row[] {
  if (order === 'reversed') return newestFirst;
  const oldestFirst = newestFirst.toReversed();
  return order === 'created' ? oldestFirst : shuffled(oldestFirst, order.seed);
}

/** Returns the elements in a pseudo-random order that depends only on the seed and the length. */
export function shuffled<Element>(elements: readonly Element[], seed: number): Element[] {
  const ranked = elements.map(element => ({ element, rank: 0 }));
  let state = seed >>> 0;
  for (const entry of ranked) {
    // mulberry32: small, and identical on every platform.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    entry.rank = (mixed ^ (mixed >>> 14)) >>> 0;
  }
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ element }) => element);
}
