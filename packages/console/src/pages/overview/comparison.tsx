import { formatPercent } from '#ui/amount.ts';

/** A figure, and what it was in the period before. */
export interface Compared {
  readonly now: number;
  /** Undefined when it is not known. */
  readonly before: number | undefined;
  /** Whether it is a percentage, whose difference is in points. */
  readonly isRate?: boolean;
  /** Whether less of it is better. */
  readonly isLoss?: boolean;
}

/** Returns by how much a figure changed, in words, and whether that is good; undefined when there is nothing to compare. */
export function compare({ now, before, isRate, isLoss }: Compared) {
  if (before === undefined) return undefined;
  const change = now - before;
  if (change === 0) return { change: 'The same', rest: 'as in the period before', isGood: undefined };
  const isGood = change > 0 !== (isLoss ?? false);
  if (before === 0 && !isRate) return { change: 'None', rest: 'in the period before', isGood: undefined };
  const amount = isRate
    ? `${Math.abs(Math.round(change * 10) / 10)} points`
    : formatPercent(Math.round((100 * Math.abs(change)) / Math.abs(before)));
  return { change: `${change > 0 ? '+' : '−'}${amount}`, rest: 'vs. the period before', isGood };
}

/** How a figure compares to the period before, by sign, words and colour. */
export function Comparison(compared: Compared) {
  const compares = compare(compared);
  if (!compares) return null;
  const { change, rest, isGood } = compares;
  return (
    <span className="note">
      <span className={isGood === undefined ? '' : isGood ? 'up' : 'fall'}>{change}</span> {rest}
    </span>
  );
}
