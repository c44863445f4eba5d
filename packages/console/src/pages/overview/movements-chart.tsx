import {
  Area,
  Bar,
  CartesianGrid,
  Cell,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { useOpenPage } from '#layout/project-link.tsx';
import { formatMoney, formatShortMoney } from '#ui/money.ts';
import { MOVEMENTS, NET } from './metrics.ts';
import type { Period } from './periods.ts';

interface ChartProps {
  readonly periods: readonly Period[];
  readonly currency: string;
}

const MARGIN = { top: 8, right: 8, bottom: 0, left: 0 };
const TICK = { fill: 'var(--ink-2)', fontSize: 12 };

function Tip({
  active,
  payload,
  currency,
  keys,
}: {
  active?: boolean;
  payload?: readonly { payload?: unknown }[];
  currency: string;
  keys: readonly { key: keyof Period; name: string }[];
}) {
  const period = payload?.[0]?.payload as Period | undefined; // the chart's own data
  if (!active || !period) return null;
  return (
    <div className="chart-tip">
      <strong>{period.label}</strong>
      {period.estimated && <div className="muted">Estimated</div>}
      <dl>
        {keys.map(({ key, name }) => (
          <div key={key} className="contents">
            <dt>{name}</dt>
            <dd className="num">{formatMoney(Number(period[key]), currency)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const axes = (currency: string) => [
  <CartesianGrid key="grid" vertical={false} stroke="var(--line)" />,
  <XAxis
    key="x"
    dataKey="label"
    tickLine={false}
    axisLine={false}
    tick={TICK}
    minTickGap={40}
    tickFormatter={label => String(label).split(' – ')[0] ?? ''}
  />,
  <YAxis
    key="y"
    tickLine={false}
    axisLine={false}
    tick={TICK}
    width={56}
    tickFormatter={amount => formatShortMoney(Number(amount), currency)}
  />,
];

/** Stripes for what is estimated: of the colour of a movement, or grey. */
const Hatch = ({ id, color }: { readonly id: string; readonly color: string }) => (
  <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="6" height="6" fill={color} opacity="0.25" />
    <rect width="2.5" height="6" fill={color} />
  </pattern>
);

interface MovementsChartProps extends ChartProps {
  readonly days: number;
}

/**
 * What changed monthly revenue in each period, stacked, and the net of it. A bar opens the subscriptions behind it, as the
 * numbers of the table do by keyboard.
 */
export default function MovementsChart({ periods, currency, days }: MovementsChartProps) {
  const open = useOpenPage();
  return (
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart data={[...periods]} stackOffset="sign" margin={MARGIN} accessibilityLayer={false}>
        <defs>
          {MOVEMENTS.map(({ key }) => (
            <Hatch key={key} id={`hatch-${key}`} color={`var(--chart-${key})`} />
          ))}
        </defs>
        {axes(currency)}
        <ReferenceLine y={0} stroke="var(--line-strong)" />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--surface-3)', opacity: 0.5 }}
          content={<Tip currency={currency} keys={[...MOVEMENTS, NET]} />}
        />
        {MOVEMENTS.map(({ key, metric }) => (
          <Bar
            key={key}
            dataKey={key}
            className="movement-bar"
            stackId="movements"
            fill={`var(--chart-${key})`}
            maxBarSize={26}
            isAnimationActive={false}
            onClick={(_bar, index) => {
              const period = periods[index];
              if (period) open('overview/subscriptions', { metric, days, from: period.from, to: period.to });
            }}
          >
            {periods.map(({ from, estimated }) => (
              <Cell key={from} fill={estimated ? `url(#hatch-${key})` : `var(--chart-${key})`} />
            ))}
          </Bar>
        ))}
        {/* The line lies above the bars; clicks on it and on the dot under the pointer belong to the bar below. */}
        <Line
          dataKey="net"
          type="linear"
          stroke="var(--ink)"
          strokeWidth={1.5}
          dot={false}
          activeDot={{ pointerEvents: 'none' }}
          pointerEvents="none"
          isAnimationActive={false}
        />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

/** Monthly revenue at the end of each period. */
export function RevenueChart({ periods, currency }: ChartProps) {
  const estimated = periods.filter(period => period.estimated);
  return (
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart data={[...periods]} margin={MARGIN} accessibilityLayer={false}>
        <defs>
          <Hatch id="hatch-estimated" color="var(--line-strong)" />
        </defs>
        {axes(currency)}
        {estimated.length > 0 && (
          <ReferenceArea
            x1={estimated[0]?.label ?? ''}
            x2={estimated.at(-1)?.label ?? ''}
            fill="url(#hatch-estimated)"
            fillOpacity={0.6}
          />
        )}
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--line-strong)' }}
          content={<Tip currency={currency} keys={[{ key: 'mrr', name: 'MRR' }]} />}
        />
        <Area
          dataKey="mrr"
          type="monotone"
          stroke="var(--chart-new)"
          strokeWidth={2}
          fill="var(--chart-new)"
          fillOpacity={0.1}
          isAnimationActive={false}
        />
      </ComposedChart>
    </ResponsiveContainer>
  );
}
