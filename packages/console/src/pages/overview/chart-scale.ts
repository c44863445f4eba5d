/** How many steps an axis has, about. */
const STEPS = 4;

/** Returns round amounts at equal distances, from at most `low` to at least `high`: the axis of a chart. `low` is below `high`. */
export function ticksBetween(low: number, high: number): number[] {
  const rough = (high - low) / STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  // Smaller than the smallest unit of a currency there is nothing.
  const step = Math.max(1, [1, 2, 5, 10].map(factor => factor * power).find(it => it >= rough) ?? rough);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/** A part of a bar, from one amount to another. */
export interface Stacked<Key extends string> {
  readonly key: Key;
  readonly from: number;
  readonly to: number;
}

/** Stacks amounts: those above zero upwards from it, those below downwards. Zeros are left out. */
export function stack<Key extends string>(amounts: readonly (readonly [Key, number])[]): Stacked<Key>[] {
  let [above, below] = [0, 0];
  return amounts.flatMap(([key, amount]) => {
    if (amount === 0) return [];
    const from = amount > 0 ? above : below;
    if (amount > 0) above += amount;
    else below += amount;
    return [{ key, from, to: from + amount }];
  });
}
