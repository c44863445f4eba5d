import type { ReactNode } from 'react';
import { type Place, ProjectLink } from '#layout/project-link.tsx';
import { formatMoney } from '#ui/money.ts';
import { Skeleton } from '#ui/states.tsx';
import { Comparison, type Compared } from './comparison.tsx';

interface FigureProps extends Place {
  readonly name: string;
  readonly value: ReactNode;
  /** May lead to parts of the number. */
  readonly note: ReactNode;
  /** How it compares to the period before. */
  readonly compared?: Compared | undefined;
}

/** A number that opens the list behind it. */
export function Figure({ name, value, note, compared, page, search = {} }: FigureProps) {
  return (
    <div className="figure">
      <ProjectLink page={page} search={search} className="figure-link">
        <span className="name">{name}</span> <span className="value">{value}</span>
      </ProjectLink>
      <span className="note">{note}</span>
      {compared && <Comparison {...compared} />}
    </div>
  );
}

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
  /** The same in the period before. */
  readonly before?: readonly Sum[] | undefined;
}

/** An amount that opens the list behind it. */
export function MoneyFigure({ sums, before, currency, note, ...figure }: MoneyFigureProps) {
  if (sums === null) return <Figure {...figure} value="–" note="not available at present" />;
  if (!sums) return <Figure {...figure} value={<Skeleton width="6rem" />} note={note} />;
  const amountIn = (all: readonly Sum[]) => all.find(it => it.currency === currency)?.amount ?? 0;
  const amount = amountIn(sums);
  const others = sums.filter(it => it.currency !== currency && it.amount > 0);
  const also = others.map(it => formatMoney(it.amount, it.currency)).join(', ');
  const shown = also ? `${note}; also ${also}` : note;
  const compared = before && { now: amount, before: amountIn(before) };
  return <Figure {...figure} value={formatMoney(amount, currency)} note={shown} compared={compared} />;
}
