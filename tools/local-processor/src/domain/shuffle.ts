/** The same elements in an order drawn from the seed: the same seed and length give the same order. */
export function shuffled<Element>(elements: readonly Element[], seed: number): Element[] {
  const drawn = elements.map(element => ({ element, rank: 0 }));
  let state = seed >>> 0;
  for (const entry of drawn) {
    // mulberry32: small, and the same on every machine.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    entry.rank = (mixed ^ (mixed >>> 14)) >>> 0;
  }
  return drawn.toSorted((a, b) => a.rank - b.rank).map(({ element }) => element);
}
