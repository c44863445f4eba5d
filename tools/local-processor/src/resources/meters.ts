import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, noParameters, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
import { listPage } from '../api/lists.ts';
import { choice, expand, page, parameters, text, timestamp } from '../api/parameters.ts';
import { summariesOf } from '../billing/usage.ts';
import { newId } from '../domain/ids.ts';
import { existing } from '../objects/finding.ts';

const PATH = '/v1/billing/meters';

const createParameters = parameters<Stripe.Billing.MeterCreateParams>()({
  customer_mapping: z
    .strictObject({ event_payload_key: z.literal('stripe_customer_id'), type: choice('by_id') })
    .optional(),
  default_aggregation: z.strictObject({ formula: choice('count', 'last', 'sum') }),
  display_name: text(250),
  event_name: text(100),
  expand,
  value_settings: z.strictObject({ event_payload_key: z.literal('value') }).optional(),
});
const listParameters = parameters<Stripe.Billing.MeterListParams>()({
  ...page,
  status: choice('active', 'inactive').optional(),
});
const summaryParameters = parameters<Stripe.Billing.MeterListEventSummariesParams>()({
  ...page,
  customer: text(),
  end_time: timestamp,
  start_time: timestamp,
  value_grouping_window: choice('day', 'hour').optional(),
});

/** Meters, which metered prices name, and the usage that they have counted. */
export const meterEndpoints = [
  endpoint('POST', PATH, createParameters, (unit, given) => {
    const meters = unit.tables['billing.meter'];
    if (meters.newestFirst().some(row => row.status === 'active' && row.event_name === given.event_name))
      throw invalidRequest('A meter with this event name already exists.', 'event_name');
    return unit.create('billing.meter', {
      id: newId('mtr_test_', 24),
      object: 'billing.meter',
      created: unit.now,
      customer_mapping: { event_payload_key: 'stripe_customer_id', type: 'by_id' },
      default_aggregation: given.default_aggregation,
      display_name: given.display_name,
      event_name: given.event_name,
      event_time_window: null,
      livemode: unit.livemode,
      status: 'active',
      status_transitions: { deactivated_at: null },
      updated: unit.now,
      value_settings: { event_payload_key: 'value' },
    });
  }),
  ...reads('billing.meter', PATH, listParameters, { by: ['status'] }),
  endpoint('GET', `${PATH}/:id/event_summaries`, summaryParameters, (unit, given, { id, url }) => {
    const meter = existing(unit, 'billing.meter', id);
    const { customer, start_time: start, end_time: end, value_grouping_window: window } = given;
    return listPage(summariesOf(unit, meter, { customer, start, end, window }), given, url, 'summary');
  }),
  endpointOn('billing.meter', 'POST', `${PATH}/:id/deactivate`, noParameters, (unit, meter) => {
    const changes = { status: 'inactive', status_transitions: { deactivated_at: unit.now }, updated: unit.now };
    return unit.update('billing.meter', meter, changes);
  }),
];
