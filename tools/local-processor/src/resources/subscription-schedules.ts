import type { Stripe } from 'stripe';
import type { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, created, expand, metadata, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { changeToPhase } from '../billing/advance-schedule.ts';
import { currentPhaseOf, inCurrentPhase, inPhase } from '../billing/phases.ts';
import { releaseSchedule } from '../billing/subscription-schedules.ts';
import { endSubscription } from '../billing/subscriptions.ts';
import { hasEnded } from '../objects/subscription.ts';
import { newSchedule } from '../objects/subscription-schedule.ts';
import { inItsTime } from '../objects/test-clock.ts';
import type { SubscriptionSchedule } from '../objects/stored.ts';
import { phasesOf, phasesParameter } from './schedule-phases.ts';

const createParameters = parameters<Stripe.SubscriptionScheduleCreateParams>()({
  expand,
  from_subscription: text(),
  metadata: metadata.optional(),
});
const updateParameters = parameters<Stripe.SubscriptionScheduleUpdateParams>()({
  end_behavior: choice('cancel', 'release').optional(),
  expand,
  metadata: metadata.optional(),
  phases: phasesParameter.optional(),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
});
const listParameters = parameters<Stripe.SubscriptionScheduleListParams>()({
  ...page,
  created,
  customer: text().optional(),
});
const releaseParameters = parameters<Stripe.SubscriptionScheduleReleaseParams>()({
  expand,
  preserve_cancel_date: boolean.optional(),
});
const cancelParameters = parameters<Stripe.SubscriptionScheduleCancelParams>()({
  expand,
  invoice_now: boolean.optional(),
  prorate: boolean.optional(),
});

export const subscriptionScheduleEndpoints = [
  endpoint('POST', '/v1/subscription_schedules', createParameters, createSchedule),
  endpoint('GET', '/v1/subscription_schedules', listParameters, (unit, given, { url }) => {
    const { customer } = given;
    const rows = unit.tables.subscription_schedule
      .newestFirst()
      .filter(row => customer === undefined || row.customer === customer)
      .filter(createdWithin(given.created));
    return listPage(rows, given, url, 'subscription_schedule');
  }),
  endpoint(
    'GET',
    '/v1/subscription_schedules/:id',
    parameters<Stripe.SubscriptionScheduleRetrieveParams>()({ expand }),
    (unit, _, { id }) => existingSchedule(unit, id),
  ),
  endpoint('POST', '/v1/subscription_schedules/:id', updateParameters, (unit, given, { id }) =>
    updateSchedule(unit, existingSchedule(unit, id), given),
  ),
  endpoint('POST', '/v1/subscription_schedules/:id/release', releaseParameters, (unit, given, { id }) =>
    releaseSchedule(unit, activeSchedule(unit, id, 'release'), given.preserve_cancel_date),
  ),
  endpoint('POST', '/v1/subscription_schedules/:id/cancel', cancelParameters, (unit, _, { id }) => {
    const { subscription: subscriptionId } = activeSchedule(unit, id, 'cancel');
    const subscription = unit.tables.subscription.get(subscriptionId ?? '');
    if (subscription) endSubscription(unit, subscription, 'cancellation_requested');
    return existingSchedule(unit, id);
  }),
];

/** Creates a schedule from a subscription. @throws ApiError 400 when it has one, or has ended */
export function createSchedule(unit: UnitOfWork, given: z.output<typeof createParameters>): SubscriptionSchedule {
  const param = 'from_subscription';
  const subscription = unit.tables.subscription.get(given.from_subscription);
  if (!subscription) throw noSuch('subscription', given.from_subscription, param);
  inItsTime(unit, subscription);
  if (hasEnded(subscription))
    throw invalidRequest('You cannot migrate a subscription that has ended to a schedule.', { param });
  if (subscription.schedule !== null)
    throw invalidRequest(
      `You cannot migrate a subscription that is already attached to a schedule: ${subscription.schedule}.`,
      { param },
    );
  const row = newSchedule(unit, subscription, mergeMetadata({}, given.metadata));
  const schedule = unit.create('subscription_schedule', row);
  unit.emit('subscription_schedule.created', schedule);
  unit.update('subscription', subscription, { schedule: schedule.id }, 'customer.subscription.updated');
  return schedule;
}

/**
 * Changes a schedule. New items of the current phase change the subscription at once. `end_behavior` decides whether the
 * subscription ends with the last phase.
 */
export function updateSchedule(
  unit: UnitOfWork,
  schedule: SubscriptionSchedule,
  given: z.output<typeof updateParameters>,
): SubscriptionSchedule {
  const { end_behavior: behavior = schedule.end_behavior } = given;
  if ((given.end_behavior !== undefined || given.phases !== undefined) && schedule.status !== 'active')
    throw invalidRequest(`You cannot update a subscription schedule that is ${schedule.status}.`);
  const phases = given.phases ? phasesOf(unit, schedule, given.phases) : schedule.phases;
  const planned = inCurrentPhase(schedule, phases);
  const current = currentPhaseOf(planned);
  const metadataAfter = mergeMetadata(schedule.metadata ?? {}, given.metadata);
  const changes = { ...planned, end_behavior: behavior, metadata: metadataAfter };
  // Checked before anything is stored: a phase may name what does not exist.
  const subscription = unit.tables.subscription.get(schedule.subscription ?? '');
  if (given.phases && subscription) for (const phase of phases) inPhase(unit, subscription, schedule, phase);
  const updated = unit.update('subscription_schedule', schedule, changes, 'subscription_schedule.updated');
  if (!subscription) return updated;
  const changed =
    given.phases && current
      ? changeToPhase(unit, subscription, updated, current, given.proration_behavior ?? 'create_prorations')
      : subscription;
  const end = behavior === 'cancel' ? (phases.at(-1)?.end_date ?? null) : null;
  if (behavior !== schedule.end_behavior || (end !== null && end !== changed.cancel_at)) {
    const cancellation =
      end === null
        ? { cancel_at: null, cancel_at_period_end: false, canceled_at: null }
        : { cancel_at: end, canceled_at: unit.now };
    unit.update('subscription', changed, cancellation, 'customer.subscription.updated');
  }
  return updated;
}

function activeSchedule(unit: UnitOfWork, id: string, verb: string): SubscriptionSchedule {
  const schedule = existingSchedule(unit, id);
  if (schedule.status !== 'active')
    throw invalidRequest(
      `You cannot ${verb} a subscription schedule that is currently in the \`${schedule.status}\` status.`,
    );
  return schedule;
}

function existingSchedule(unit: UnitOfWork, id: string): SubscriptionSchedule {
  const schedule = unit.tables.subscription_schedule.get(id);
  if (!schedule) throw noSuch('subscription_schedule', id);
  return inItsTime(unit, schedule);
}
