/** Numbers that follow from a seed, so that a run can be repeated. */
export interface Random {
  readonly seed: number;
  /** At least 0 and below 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** @throws RangeError for an empty list */
  pick<T>(items: readonly T[]): T;
  /** The same items in another order. */
  shuffled<T>(items: readonly T[]): T[];
}

/** Draws from `FAULT_SEED`, or from a seed of its own, and prints it under `name`. */
export function seededRandom(name: string): Random {
  const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: FAULT_SEED=${seed}`);
  return randomOf(seed);
}

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    seed,
    next,
    between,
    pick<T>(items: readonly T[]): T {
      const index = between(0, items.length - 1);
      if (items.length === 0) throw new RangeError('There is nothing to pick from.');
      return items[index] as T; // the index is within the list
    },
    shuffled<T>(items: readonly T[]): T[] {
      const drawn = items.map(item => ({ item, at: next() }));
      return drawn.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
    },
  };
}
