import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
import { expand, parameters, text, timestamp } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { usageKey } from '../billing/usage.ts';
import { newId } from '../domain/ids.ts';
import { customerOrNull, inItsTime } from '../objects/finding.ts';
import { reportMeterError } from './thin-events.ts';

const DAY_SECONDS = 86_400;
/** (Stripe: https://docs.stripe.com/api/billing/meter-event/create) */
const [LONGEST_AGO_SECONDS, FARTHEST_AHEAD_SECONDS] = [35 * DAY_SECONDS, 300];
const MAX_DIGITS = 15;

const createParameters = parameters<Stripe.Billing.MeterEventCreateParams>()({
  event_name: text(100),
  expand,
  identifier: text(100).optional(),
  payload: z.strictObject({ stripe_customer_id: text(), value: text() }),
  timestamp: timestamp.optional(),
});
type Given = z.output<typeof createParameters>;

export const meterEventEndpoints = [endpoint('POST', '/v1/billing/meter_events', createParameters, createMeterEvent)];

/** Counts usage. That of an unknown customer is refused later, by a thin event. */
function createMeterEvent(unit: UnitOfWork, given: Given): Stripe.Billing.MeterEvent {
  const { event_name: name, identifier = newId('mtrevt_'), payload } = given;
  const customer = customerOrNull(unit, payload.stripe_customer_id);
  if (customer) inItsTime(unit, customer);
  const meter = unit.tables['billing.meter']
    .newestFirst()
    .find(row => row.status === 'active' && row.event_name === name);
  if (!meter) throw invalidRequest(`No active meter found for event name "${name}"`, 'event_name');
  const at = given.timestamp ?? unit.now;
  if (at < unit.now - LONGEST_AGO_SECONDS)
    throw invalidRequest('The timestamp must be within the past 35 calendar days.', 'timestamp');
  if (at > unit.now + FARTHEST_AHEAD_SECONDS)
    throw invalidRequest('The timestamp must not be more than 5 minutes in the future.', 'timestamp');
  const value = wholeValue(payload.value);
  if (isTaken(unit, identifier)) throw invalidRequest(`An event already exists with identifier ${identifier}.`);
  const usage = usageKey(name, payload.stripe_customer_id);
  const row = { id: newId('mtrevt_'), identifier, usage, value, timestamp: at, takenAt: unit.now };
  // The ledger counts what was taken, also what is refused later.
  unit.create('meter_event', row);
  if (!customer) reportMeterError(unit, row, { meter, code: 'meter_event_customer_not_found' });
  return {
    object: 'billing.meter_event',
    created: unit.now,
    event_name: name,
    identifier,
    livemode: unit.livemode,
    payload,
    timestamp: at,
  };
}

/** An identifier is unique for 24 hours. */
const isTaken = (unit: UnitOfWork, identifier: string): boolean =>
  unit.tables.meter_event.withField('identifier', identifier).some(({ takenAt }) => takenAt > unit.now - DAY_SECONDS);

function wholeValue(given: string): number {
  if (!/^-?\d+$/.test(given))
    throw invalidRequest('The value in the event payload must be a whole number.', 'payload[value]');
  if (given.replace('-', '').length > MAX_DIGITS)
    throw invalidRequest(
      `The value in the event payload can have at most ${MAX_DIGITS} digits. Received ${given}.`,
      'payload[value]',
    );
  return Number(given);
}
