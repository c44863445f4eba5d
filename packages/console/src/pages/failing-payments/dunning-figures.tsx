import { useQuery } from '@tanstack/react-query';
import { useProject, useProjectDetails } from '#api/project.ts';
import { dunningTotalsQuery } from '#api/queries.ts';
import { useFilters } from '#layout/filters.tsx';
import { MoneyFigure } from '../overview/money-figure.tsx';
import { sumsOf } from './dunning-sums.ts';

const FIGURES = [
  { status: 'recovering', name: 'Recovering', note: 'failed, and not paid yet' },
  { status: 'recovered', name: 'Recovered', note: 'failed, and paid after all' },
  { status: 'lost', name: 'Lost', note: 'given up, or ended unpaid' },
] as const;

/** What failed payments amount to, by what became of them; each number opens its list. */
export function DunningFigures({ since }: { readonly since: string | undefined }) {
  const scope = useProject();
  const { baseCurrency } = useProjectDetails();
  const from = useFilters().text('from') || undefined;
  const { data, error } = useQuery(dunningTotalsQuery(scope, since));
  const totals = data ?? (error ? null : undefined);
  return (
    <div className="figures">
      {FIGURES.map(({ status, ...figure }) => (
        <MoneyFigure
          key={status}
          {...figure}
          sums={totals && sumsOf(totals, status)}
          currency={baseCurrency}
          page="failing-payments"
          search={{ status, from }}
        />
      ))}
    </div>
  );
}
