import { useCallback, useState, type ReactNode } from 'react';
import { formatMoney, formatShortMoney } from '#ui/money.ts';
import { ticksBetween } from './chart-scale.ts';
import type { Period } from './periods.ts';

/** Room for the labels of the axes, in pixels. */
const LEFT = 64;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 28;
/** A label of a day has so much room. */
const LABEL_WIDTH = 76;
const TIP_WIDTH = 190;

/** Where amounts and periods stand in a chart, in pixels. */
export interface Scales {
  readonly y: (amount: number) => number;
  /** The middle of a period. */
  readonly x: (index: number) => number;
  /** The width of a period. */
  readonly band: number;
}

interface ChartFrameProps {
  readonly periods: readonly Period[];
  readonly currency: string;
  /** The least and the greatest amount. */
  readonly low: number;
  readonly high: number;
  /** What the tip of a period says. */
  readonly tips: readonly { readonly key: keyof Period; readonly name: string }[];
  readonly children: (scales: Scales) => ReactNode;
}

/** The axes of a chart over periods, and a tip with the numbers of the one under the pointer. */
export function ChartFrame({ periods, currency, low, high, tips, children }: ChartFrameProps) {
  const [{ width, height }, setSize] = useState({ width: 0, height: 0 });
  const [pointed, setPointed] = useState<number>();
  const watchSize = useCallback((element: HTMLDivElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const ticks = ticksBetween(low, high);
  const [bottom = 0, top = 1] = [ticks[0], ticks.at(-1)];
  const band = Math.max(0, width - LEFT - RIGHT) / periods.length;
  const x = (index: number) => LEFT + band * (index + 0.5);
  const y = (amount: number) => TOP + ((top - amount) / (top - bottom)) * Math.max(0, height - TOP - BOTTOM);
  const everyNth = Math.max(1, Math.ceil(LABEL_WIDTH / band));
  const period = pointed === undefined ? undefined : periods[pointed];
  return (
    <div className="chart-frame" ref={watchSize}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          onPointerMove={({ clientX, currentTarget }) => {
            const index = Math.floor((clientX - currentTarget.getBoundingClientRect().left - LEFT) / band);
            setPointed(periods[index] ? index : undefined);
          }}
          onPointerLeave={() => setPointed(undefined)}
        >
          {pointed !== undefined && (
            <rect
              className="chart-cursor"
              x={x(pointed) - band / 2}
              y={TOP}
              width={band}
              height={height - TOP - BOTTOM}
            />
          )}
          {ticks.map(tick => (
            <g key={tick}>
              <line className={tick === 0 ? 'zero' : ''} x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
              <text x={LEFT - 8} y={y(tick)} textAnchor="end" dominantBaseline="middle">
                {formatShortMoney(tick, currency)}
              </text>
            </g>
          ))}
          {periods.map(({ from, label }, index) =>
            index % everyNth === 0 ? (
              <text key={from} x={x(index)} y={height - 8} textAnchor="middle">
                {label.split(' – ')[0]}
              </text>
            ) : null,
          )}
          {children({ x, y, band })}
        </svg>
      )}
      {period && pointed !== undefined && (
        <div className="chart-tip" style={{ width: TIP_WIDTH, left: besides(x(pointed), band, width) }}>
          <strong>{period.label}</strong>
          {period.estimated && <div className="muted">Estimated</div>}
          <dl>
            {tips.map(({ key, name }) => (
              <div key={key} className="contents">
                <dt>{name}</dt>
                <dd className="num">{formatMoney(Number(period[key]), currency)}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </div>
  );
}

/** Where a tip stands beside a period: on the side with more room. */
function besides(middle: number, band: number, width: number): number {
  const away = band / 2 + 8;
  return middle < width / 2 ? middle + away : Math.max(0, middle - away - TIP_WIDTH);
}

/** Stripes for what is estimated: of the colour of a movement, or grey. */
export const Hatch = ({ id, color }: { readonly id: string; readonly color: string }) => (
  <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="6" height="6" fill={color} opacity="0.25" />
    <rect width="2.5" height="6" fill={color} />
  </pattern>
);
