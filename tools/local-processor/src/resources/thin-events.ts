import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, noParameters } from '../api/endpoint.ts';
import { integer, parameters, text } from '../api/parameters.ts';
import { noSuch } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { MeterEvent, ThinEvent } from '../objects/stored.ts';

const PATH = '/v2/core/events';
const ERROR_REPORT = 'v1.billing.meter.error_report_triggered';

const listParameters = parameters<Stripe.V2.Core.EventListParams & { page?: string }>()({
  limit: integer(1, 100).default(20),
  object_id: text().optional(),
  page: text().optional(),
  types: z.array(z.string()).max(20).optional(),
});

/** Thin events; lists leave out their data. (Stripe: https://docs.stripe.com/api/v2/core/events) */
export const thinEventEndpoints = [
  endpoint('GET', PATH, listParameters, (unit, { limit, object_id: of, page, types }) => {
    const wanted = ({ type, related_object: related }: ThinEvent) =>
      (!types || types.includes(type)) && (of === undefined || related?.id === of);
    const found = [...unit.tables['v2.core.event'].olderThan(page)].filter(wanted);
    const data = found.slice(0, limit).map(event => ({ ...event, data: undefined }));
    const query = new URLSearchParams({ limit: String(limit), page: data.at(-1)?.id ?? '' });
    if (of !== undefined) query.set('object_id', of);
    types?.forEach((type, index) => query.set(`types[${index}]`, type));
    const next = found.length > limit ? `${PATH}?${query.toString()}` : null;
    return { data, next_page_url: next, previous_page_url: null };
  }),
  endpoint('GET', `${PATH}/:id`, noParameters, (unit, _, { id }) => {
    const event = unit.tables['v2.core.event'].get(id);
    if (!event) throw noSuch('event', id);
    return event;
  }),
];

/** Stops counting usage that was taken, and emits the report of the error. */
export function reportMeterError(
  unit: UnitOfWork,
  { id, identifier }: MeterEvent,
  { meter, code }: { meter: Stripe.Billing.Meter; code: string },
): ThinEvent {
  unit.tables.meter_event.remove(id);
  const created = new Date(unit.now * 1_000).toISOString();
  const sample = { error_message: `The meter event was refused: ${code}.`, request: { identifier } };
  const event: ThinEvent = {
    id: newId('evt_test_'),
    object: 'v2.core.event',
    type: ERROR_REPORT,
    created,
    livemode: unit.livemode,
    related_object: { id: meter.id, type: 'billing.meter', url: `/v1/billing/meters/${meter.id}` },
    data: {
      developer_message_summary: 'There is 1 invalid event',
      reason: { error_count: 1, error_types: [{ code, error_count: 1, sample_errors: [sample] }] },
      validation_end: created,
      validation_start: created,
    },
  };
  unit.tables['v2.core.event'].put(event);
  return event;
}
