import type { Share } from './figures.ts';

/** The same figures summed: what must be added to the read model when a subject goes from `before` to `after`. */
export function difference(before: readonly Share[], after: readonly Share[]): Share[] {
  const sums = new Map<string, Share>();
  const add = (share: Share, amount: bigint) => {
    const key = `${share.figure} ${share.day}`;
    sums.set(key, { ...share, amount: (sums.get(key)?.amount ?? 0n) + amount });
  };
  for (const share of before) add(share, -share.amount);
  for (const share of after) add(share, share.amount);
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}
