import type { Stripe } from 'stripe';
import type { z } from 'zod';
import { endpoint, endpointOn, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, created, expand, metadata, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { changeToPhase } from '../billing/advance-schedule.ts';
import { currentPhaseOf, inCurrentPhase, inPhase } from '../billing/phases.ts';
import { releaseSchedule } from '../billing/subscription-schedules.ts';
import { endSubscription } from '../billing/subscriptions.ts';
import { hasEnded } from '../objects/subscription.ts';
import { newSchedule } from '../objects/subscription-schedule.ts';
import { existing } from '../objects/finding.ts';
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

const PATH = '/v1/subscription_schedules';

export const subscriptionScheduleEndpoints = [
  endpoint('POST', PATH, createParameters, createSchedule),
  ...reads('subscription_schedule', PATH, listParameters, { by: ['customer'] }),
  endpointOn('subscription_schedule', 'POST', `${PATH}/:id`, updateParameters, updateSchedule),
  endpointOn('subscription_schedule', 'POST', `${PATH}/:id/release`, releaseParameters, (unit, schedule, given) => {
    requireActive(schedule, 'release');
    return releaseSchedule(unit, schedule, given.preserve_cancel_date);
  }),
  endpointOn('subscription_schedule', 'POST', `${PATH}/:id/cancel`, cancelParameters, (unit, schedule) => {
    requireActive(schedule, 'cancel');
    const subscription = unit.tables.subscription.get(schedule.subscription ?? '');
    if (subscription) endSubscription(unit, subscription, 'cancellation_requested');
    return existing(unit, 'subscription_schedule', schedule.id);
  }),
];

/** Creates a schedule from a subscription. @throws ApiError 400 when it has one, or has ended */
function createSchedule(unit: UnitOfWork, given: z.output<typeof createParameters>): SubscriptionSchedule {
  const param = 'from_subscription';
  const subscription = existing(unit, 'subscription', given.from_subscription, param);
  if (hasEnded(subscription))
    throw invalidRequest('You cannot migrate a subscription that has ended to a schedule.', param);
  if (subscription.schedule !== null)
    throw invalidRequest(
      `You cannot migrate a subscription that is already attached to a schedule: ${subscription.schedule}.`,
      param,
    );
  const row = newSchedule(unit, subscription, mergeMetadata({}, given.metadata));
  const schedule = unit.create('subscription_schedule', row, 'subscription_schedule.created');
  unit.update('subscription', subscription, { schedule: schedule.id });
  return schedule;
}

/**
 * Changes a schedule. New items of the current phase change the subscription at once. `end_behavior` decides whether the
 * subscription ends with the last phase.
 */
function updateSchedule(
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
  const updated = unit.update('subscription_schedule', schedule, changes);
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
    unit.update('subscription', changed, cancellation);
  }
  return updated;
}

function requireActive({ status }: SubscriptionSchedule, verb: string): void {
  if (status !== 'active')
    throw invalidRequest(`You cannot ${verb} a subscription schedule that is currently in the \`${status}\` status.`);
}
