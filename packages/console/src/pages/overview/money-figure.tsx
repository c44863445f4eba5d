import type { Place } from '#layout/project-link.tsx';
import { formatMoney } from '#ui/money.ts';
import { Skeleton } from '#ui/states.tsx';
import { Figure } from './figure.tsx';

interface Sum {
  readonly currency: string;
  readonly amount: number;
}

interface MoneyFigureProps extends Place {
  readonly name: string;
  /** Undefined until they are loaded, null when they can't be. */
  readonly sums: readonly Sum[] | undefined | null;
  /** The currency of the number; sums in others stand in the note. */
  readonly currency: string;
  readonly note: string;
}

/** An amount that opens the list behind it. */
export function MoneyFigure({ sums, currency, note, ...figure }: MoneyFigureProps) {
  if (sums === null) return <Figure {...figure} value="–" note="not available at present" />;
  if (!sums) return <Figure {...figure} value={<Skeleton width="6rem" />} note={<Skeleton width="9rem" />} />;
  const amount = sums.find(it => it.currency === currency)?.amount ?? 0;
  const others = sums.filter(it => it.currency !== currency && it.amount > 0);
  const shown = [note, ...others.map(it => formatMoney(it.amount, it.currency))].join(' · ');
  return <Figure {...figure} value={formatMoney(amount, currency)} note={shown} />;
}
