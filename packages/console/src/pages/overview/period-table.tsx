import { ProjectLink } from '#layout/project-link.tsx';
import { formatMoney } from '#ui/money.ts';
import { MOVEMENTS, NET } from './metrics.ts';
import type { Period } from './periods.ts';

interface PeriodTableProps {
  readonly periods: readonly Period[];
  readonly currency: string;
  readonly days: number;
}

const COLUMNS = [...MOVEMENTS, NET];

/** The numbers of the charts. Each movement opens the subscriptions behind it. */
export function PeriodTable({ periods, currency, days }: PeriodTableProps) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-wrap" tabIndex={0} role="region" aria-label="Revenue of each period">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Period</th>
            {COLUMNS.map(({ key, name }) => (
              <th key={key} className="end" scope="col">
                {name}
              </th>
            ))}
            <th className="end" scope="col">
              MRR
            </th>
          </tr>
        </thead>
        <tbody>
          {periods.toReversed().map(period => (
            <tr key={period.from}>
              <td>
                {period.label}
                {period.estimated && <span className="muted"> (estimated)</span>}
              </td>
              {COLUMNS.map(({ key, metric }) => (
                <td key={key} className="end num">
                  <ProjectLink
                    page="overview/subscriptions"
                    search={{ metric, days, from: period.from, to: period.to }}
                    className={period[key] === 0 ? 'muted' : ''}
                  >
                    {formatMoney(period[key], currency)}
                  </ProjectLink>
                </td>
              ))}
              <td className="end num">
                <ProjectLink page="overview/subscriptions" search={{ metric: 'mrr', days, to: period.to }}>
                  {formatMoney(period.mrr, currency)}
                </ProjectLink>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
