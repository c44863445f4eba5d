import type { Stripe } from 'stripe';
import { invalidRequest } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Period } from '../domain/prorate.ts';
import type { MeterEvent, Price } from '../objects/stored.ts';

const SECONDS_OF = { minute: 60, hour: 3_600, day: 86_400 } as const;

type Meter = Stripe.Billing.Meter;

/** Returns what the events of a meter and a customer have in common, by which they are found. */
export const usageKey = (eventName: string, customer: string): string => `${eventName} ${customer}`;

/** Returns the usage that a metered price bills a customer for a period; a negative one is none. */
export function billedUsage(unit: UnitOfWork, price: Price, customer: string, period: Period): number {
  const meter = unit.tables['billing.meter'].get(price.recurring?.meter ?? '');
  return meter ? Math.max(0, aggregate(meter, eventsOf(unit, meter, customer, period))) : 0;
}

/** Returns the events of a customer that a meter counts in a period, oldest first. */
function eventsOf(
  unit: UnitOfWork,
  { event_name: name }: Meter,
  customer: string,
  { start, end }: Period,
): MeterEvent[] {
  return unit.tables.meter_event
    .withField('usage', usageKey(name, customer))
    .filter(({ timestamp }) => timestamp >= start && timestamp < end)
    .toSorted((a, b) => a.timestamp - b.timestamp);
}

function aggregate({ default_aggregation: { formula } }: Meter, events: readonly MeterEvent[]): number {
  if (formula === 'count') return events.length;
  if (formula === 'last') return events.at(-1)?.value ?? 0;
  return events.reduce((sum, { value }) => sum + value, 0);
}

interface SummaryRange extends Period {
  customer: string;
  window: 'day' | 'hour' | undefined;
}

/**
 * Returns what a meter has counted of a customer: one summary, or one for each hour or UTC day with usage, newest first.
 * (Stripe: https://docs.stripe.com/api/billing/meter-event-summary/list)
 * @throws ApiError 400 when the times are not aligned
 */
export function summariesOf(
  unit: UnitOfWork,
  meter: Meter,
  { customer, start, end, window }: SummaryRange,
): Stripe.Billing.MeterEventSummary[] {
  const seconds = SECONDS_OF[window ?? 'minute'];
  for (const [name, time] of Object.entries({ start_time: start, end_time: end }))
    if (time % seconds !== 0)
      throw invalidRequest(`\`${name}\` must align with ${window ?? 'minute'} boundaries.`, name);
  const events = eventsOf(unit, meter, customer, { start, end });
  const summary = (from: number, to: number, counted: readonly MeterEvent[]) => ({
    id: newId('mtrusg_test_', 24),
    object: 'billing.meter_event_summary' as const,
    aggregated_value: aggregate(meter, counted),
    end_time: to,
    livemode: unit.livemode,
    meter: meter.id,
    start_time: from,
  });
  if (!window) return [summary(start, end, events)];
  const windows = Map.groupBy(events, ({ timestamp }) => timestamp - (timestamp % seconds));
  return [...windows].map(([from, counted]) => summary(from, from + seconds, counted)).toReversed();
}
