import type { Stripe } from 'stripe';
import { endpoint, endpointOn, noParameters, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
import { expand, page, parameters, text, timestamp } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { runDueChangesOf } from '../billing/run-due-changes.ts';
import { newId } from '../domain/ids.ts';
import { periodStart } from '../domain/periods.ts';
import { existing, isDeleted } from '../objects/finding.ts';
import { hasEnded, subscriptionCadence } from '../objects/subscription.ts';
import type { Customer, TestClock } from '../objects/stored.ts';
import { deleteCustomer } from './customers.ts';

const MONTH_SECONDS = 30 * 86_400;
const PATH = '/v1/test_helpers/test_clocks';

const createParameters = parameters<Stripe.TestHelpers.TestClockCreateParams>()({
  customer: text().optional(),
  expand,
  frozen_time: timestamp,
  name: text(300).optional(),
});
const advanceParameters = parameters<Stripe.TestHelpers.TestClockAdvanceParams>()({ expand, frozen_time: timestamp });

/** Test clocks: https://docs.stripe.com/billing/testing/test-clocks. The control API moves all other objects' time. */
export const testClockEndpoints = [
  endpoint('POST', PATH, createParameters, (unit, given) => {
    const customer = given.customer === undefined ? null : existing(unit, 'customer', given.customer, 'customer');
    if (customer?.test_clock) throw invalidRequest('This customer is attached to a test clock already.', 'customer');
    const clock = unit.create('test_helpers.test_clock', {
      id: newId('clock_1'),
      object: 'test_helpers.test_clock',
      created: unit.now,
      deletes_after: unit.now + MONTH_SECONDS,
      frozen_time: given.frozen_time,
      livemode: unit.livemode,
      name: given.name ?? null,
      status: 'ready',
      status_details: {},
    });
    if (customer) attachTo(unit, customer, clock);
    unit.emit('test_helpers.test_clock.created', clock);
    return clock;
  }),
  ...reads('test_helpers.test_clock', PATH, parameters<Stripe.TestHelpers.TestClockListParams>()(page)),
  endpointOn('test_helpers.test_clock', 'POST', `${PATH}/:id/advance`, advanceParameters, (unit, clock, given) =>
    advance(unit, clock, given.frozen_time),
  ),
  endpointOn('test_helpers.test_clock', 'DELETE', `${PATH}/:id`, noParameters, deleteClock),
];

/** Puts an existing customer on a clock, with what it has. */
function attachTo(unit: UnitOfWork, customer: Customer, { id: test_clock }: TestClock): void {
  unit.update('customer', customer, { test_clock });
  for (const row of unit.tables.subscription.withField('customer', customer.id))
    if (!hasEnded(row)) unit.update('subscription', row, { test_clock });
}

/** Applies everything that is due until the new time. As Stripe's, the response still says `advancing`. */
function advance(unit: UnitOfWork, clock: TestClock, to: number): TestClock {
  const latest = latestTime(unit, clock);
  if (to <= clock.frozen_time || to > latest)
    throw invalidRequest(
      `\`frozen_time\` must be after ${clock.frozen_time} and at most ${latest}: two intervals of the shortest subscription, or two years without one.`,
      'frozen_time',
    );
  const status_details = { advancing: { target_frozen_time: to } };
  const advancing: TestClock = { ...clock, status: 'advancing', status_details };
  unit.emit('test_helpers.test_clock.advancing', advancing);
  runDueChangesOf(unit, clock, to);
  const ready = unit.update('test_helpers.test_clock', clock, { frozen_time: to });
  unit.emit('test_helpers.test_clock.ready', ready);
  return advancing;
}

function latestTime(unit: UnitOfWork, clock: TestClock): number {
  const ends = unit.tables.subscription
    .newestFirst()
    .filter(row => row.test_clock === clock.id && !hasEnded(row))
    .map(row => periodStart(clock.frozen_time, subscriptionCadence(row), 2));
  return ends.length > 0 ? Math.min(...ends) : periodStart(clock.frozen_time, { interval: 'year', count: 2 }, 1);
}

/** Deletes a clock with its customers. */
function deleteClock(unit: UnitOfWork, clock: TestClock): Stripe.TestHelpers.DeletedTestClock {
  const { id } = clock;
  for (const customer of unit.tables.customer.newestFirst())
    if (!isDeleted(customer) && customer.test_clock === id) deleteCustomer(unit, customer);
  unit.tables['test_helpers.test_clock'].remove(id);
  unit.emit('test_helpers.test_clock.deleted', clock);
  return { id, object: 'test_helpers.test_clock', deleted: true };
}
