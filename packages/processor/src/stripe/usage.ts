import { Stripe } from 'stripe';
import { isRefused } from '../errors.ts';
import { PAGE_SIZE } from '../page-size.ts';
import type { Usage } from '../usage.ts';
import { given, inSeconds, listAll, write, type Calls } from './calls.ts';

/** https://docs.stripe.com/billing/subscriptions/usage-based/recording-usage-api#handle-meter-event-validation-errors */
const REPORTS = ['v1.billing.meter.error_report_triggered', 'v1.billing.meter.no_meter_found'] as const;

type Report = Extract<Stripe.V2.Core.Event, { type: (typeof REPORTS)[number] }>;

/** Meters, and the usage that they count. */
export function usageCalls({ stripe, call }: Calls): Usage {
  return {
    findMeter: eventName =>
      call(async () => {
        for await (const meter of stripe.billing.meters.list({ status: 'active', limit: PAGE_SIZE }))
          if (meter.event_name === eventName) return { id: meter.id };
        return null;
      }),
    findEventName: id => call(async () => (await stripe.billing.meters.retrieve(id)).event_name),
    sendUsage: ({ meter, identifier, customerId, value, at }, key) =>
      call(async () => {
        const payload = { stripe_customer_id: customerId, value: String(value) };
        const event = { event_name: meter, identifier, timestamp: inSeconds(at), payload };
        await stripe.billing.meterEvents.create(event, write(key));
      }).catch((error: unknown) => {
        if (!isKnownAlready(error, identifier)) throw error;
      }),
    sumUpUsage: (meterId, customer, { start, end, window }) =>
      call(async () => {
        const time = { start_time: inSeconds(start), end_time: inSeconds(end) };
        const params = { customer, ...time, ...given({ value_grouping_window: window }), limit: PAGE_SIZE };
        const summaries = await listAll(stripe.billing.meters.listEventSummaries(meterId, params));
        return summaries
          .toSorted((a, b) => a.start_time - b.start_time)
          .map(({ start_time: from, end_time: to, aggregated_value: sum }) => {
            return { start: new Date(from * 1_000), end: new Date(to * 1_000), value: sum };
          });
      }),
    listUsageErrors: since =>
      call(async () => {
        const reports: Report[] = [];
        for await (const { id, created } of stripe.v2.core.events.list({ types: [...REPORTS], limit: PAGE_SIZE })) {
          // Newest first.
          if (new Date(created) < since) break;
          const report = await stripe.v2.core.events.retrieve(id);
          if (isReport(report)) reports.push(report);
        }
        return reports.flatMap(({ data }) => errorsOf(data));
      }),
  };
}

const isReport = (event: Stripe.V2.Core.Event): event is Report => REPORTS.some(type => type === event.type);

const errorsOf = ({ reason }: Report['data']) =>
  reason.error_types.flatMap(({ code, sample_errors: errors }) =>
    errors.map(({ error_message: message, request: { identifier } }) => ({ identifier, code, message })),
  );

/** Stripe has no code for it. */
const isKnownAlready = (error: unknown, identifier: string): boolean =>
  isRefused(error) &&
  error.cause instanceof Stripe.errors.StripeInvalidRequestError &&
  error.cause.message.startsWith(`An event already exists with identifier ${identifier}`);

/** Finds the active meter of an event name, or creates one that sums up values; returns its id. */
export async function provideMeter(
  { stripe, call }: Calls,
  { findMeter }: Pick<Usage, 'findMeter'>,
  eventName: string,
  key: string,
): Promise<string> {
  const found = await findMeter(eventName);
  if (found) return found.id;
  const params: Stripe.Billing.MeterCreateParams = {
    display_name: eventName,
    event_name: eventName,
    default_aggregation: { formula: 'sum' },
    customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
    value_settings: { event_payload_key: 'value' },
  };
  try {
    return (await call(() => stripe.billing.meters.create(params, write(key)))).id;
  } catch (err) {
    // Another one was created meanwhile.
    const other = isRefused(err) && (await findMeter(eventName));
    if (!other) throw err;
    return other.id;
  }
}
