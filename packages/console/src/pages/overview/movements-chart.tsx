import { useOpenPage } from '#layout/project-link.tsx';
import { ChartFrame, Hatch, type Scales } from './chart-frame.tsx';
import { stack } from './chart-scale.ts';
import { MOVEMENTS, NET } from './metrics.ts';
import type { Period } from './periods.ts';

interface ChartProps {
  readonly periods: readonly Period[];
  readonly currency: string;
}

const MAX_BAR_WIDTH = 26;

interface MovementsChartProps extends ChartProps {
  readonly days: number;
}

/**
 * What changed monthly revenue in each period, stacked, and the net of it. A bar opens the subscriptions behind it, as the
 * numbers of the table do by keyboard.
 */
export function MovementsChart({ periods, currency, days }: MovementsChartProps) {
  const open = useOpenPage();
  const bars = periods.map(period => stack(MOVEMENTS.map(({ key }) => [key, period[key]] as const)));
  const ends = bars.flatMap(parts => parts.flatMap(({ from, to }) => [from, to]));
  const metricOf = new Map(MOVEMENTS.map(({ key, metric }) => [key, metric]));
  return (
    <ChartFrame
      periods={periods}
      currency={currency}
      low={Math.min(0, ...ends)}
      high={Math.max(0, ...ends)}
      tips={[...MOVEMENTS, NET]}
    >
      {({ x, y, band }) => {
        const width = Math.min(MAX_BAR_WIDTH, band * 0.8);
        return (
          <>
            <defs>
              {MOVEMENTS.map(({ key }) => (
                <Hatch key={key} id={`hatch-${key}`} color={`var(--chart-${key})`} />
              ))}
            </defs>
            {periods.map(({ from, to, estimated }, index) =>
              bars[index]?.map(part => (
                <rect
                  key={`${from} ${part.key}`}
                  className="movement-bar"
                  x={x(index) - width / 2}
                  y={Math.min(y(part.from), y(part.to))}
                  width={width}
                  height={Math.abs(y(part.from) - y(part.to))}
                  fill={estimated ? `url(#hatch-${part.key})` : `var(--chart-${part.key})`}
                  onClick={() => open('overview/subscriptions', { metric: metricOf.get(part.key), days, from, to })}
                />
              )),
            )}
            <path className="net-line" d={lineOf(periods, 'net', { x, y })} />
          </>
        );
      }}
    </ChartFrame>
  );
}

/** Monthly revenue at the end of each period. */
export function RevenueChart({ periods, currency }: ChartProps) {
  const amounts = periods.map(({ mrr }) => mrr);
  const estimated = periods.flatMap((period, index) => (period.estimated ? [index] : []));
  const [first = 0, last = 0] = [estimated[0], estimated.at(-1)];
  return (
    <ChartFrame
      periods={periods}
      currency={currency}
      low={Math.min(0, ...amounts)}
      high={Math.max(0, ...amounts)}
      tips={[{ key: 'mrr', name: 'MRR' }]}
    >
      {({ x, y, band }) => (
        <>
          <defs>
            <Hatch id="hatch-estimated" color="var(--line-strong)" />
          </defs>
          {estimated.length > 0 && (
            <rect
              x={x(first) - band / 2}
              y={y(Math.max(...amounts))}
              width={x(last) - x(first) + band}
              height={y(0) - y(Math.max(...amounts))}
              fill="url(#hatch-estimated)"
              opacity="0.6"
            />
          )}
          <path
            className="mrr-area"
            d={`${lineOf(periods, 'mrr', { x, y })} L${x(periods.length - 1)},${y(0)} L${x(0)},${y(0)} Z`}
          />
          <path className="mrr-line" d={lineOf(periods, 'mrr', { x, y })} />
        </>
      )}
    </ChartFrame>
  );
}

/** Returns the path through the amounts of all periods. */
const lineOf = (periods: readonly Period[], key: 'net' | 'mrr', { x, y }: Pick<Scales, 'x' | 'y'>): string =>
  periods.map((period, index) => `${index === 0 ? 'M' : 'L'}${x(index)},${y(period[key])}`).join(' ');
