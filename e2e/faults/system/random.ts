/** Pseudo-random numbers from a seed, so that a run can be repeated. */
export interface Random {
  readonly seed: number;
  /** Returns a number of at least 0 and below 1. */
  next(): number;
  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** Returns any of the items. @throws RangeError for an empty list */
  pick<T>(items: readonly T[]): T;
  /** Returns the items in a random order. */
  shuffled<T>(items: readonly T[]): T[];
}

/** Uses `FAULT_SEED` or a new seed, and prints it with `name`. */
export function seededRandom(name: string): Random {
  const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: FAULT_SEED=${seed}`);
  return randomOf(seed);
}

/** Returns the generator of a seed (mulberry32). */
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
      if (items.length === 0) throw new RangeError('Cannot pick from an empty list.');
      return items[index] as T; // the index is within the list
    },
    shuffled<T>(items: readonly T[]): T[] {
      const keyed = items.map(item => ({ item, at: next() }));
      return keyed.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
    },
  };
}
