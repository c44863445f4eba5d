import { createHash } from 'node:crypto';

/** Draws that follow from a seed. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** Returns whether something of this probability happens. */
  chance(probability: number): boolean;
  /** Returns one of the values, each with its weight. */
  pick<Value>(weighted: readonly (readonly [Value, number])[]): Value;
  bytes(count: number): Uint8Array;
}

/** Returns draws that depend on the seed alone: the generator sfc32. */
export function seededRandom(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, counter] = [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), 1];
  const word = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) word();
  const next = () => word() / 2 ** 32;
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: probability => next() < probability,
    pick(weighted) {
      let left = next() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [value, weight] of weighted) {
        left -= weight;
        if (left < 0) return value;
      }
      const last = weighted.at(-1);
      if (!last) throw new Error('There is nothing to pick from.');
      return last[0];
    },
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; at += 4) {
        const drawn = word();
        for (let offset = 0; offset < 4 && at + offset < count; offset += 1)
          bytes[at + offset] = (drawn >>> (8 * offset)) & 255;
      }
      return bytes;
    },
  };
}
