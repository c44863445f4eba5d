import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Phase, Subscription, SubscriptionSchedule } from '../objects/stored.ts';
import { billedBy } from '../objects/subscription-schedule.ts';
import { asItIs } from '../objects/subscription.ts';
import { discountsOf, removeDiscounts, storeDiscounts } from './discounts.ts';
import { activeScheduleOf, anchoredIn, beginning, currentPhaseOf, inPhase, nextPhaseOf } from './phases.ts';

/**
 * Releases a schedule: the subscription goes on without it. A cancellation that the schedule has set is revoked unless
 * it is kept. Returns the schedule.
 */
export function releaseSchedule(
  unit: UnitOfWork,
  schedule: SubscriptionSchedule,
  keepsCancellation = false,
): SubscriptionSchedule {
  const subscription = unit.tables.subscription.get(schedule.subscription ?? '');
  const changes: Partial<SubscriptionSchedule> = {
    status: 'released',
    current_phase: null,
    released_at: unit.now,
    released_subscription: schedule.subscription,
    subscription: null,
  };
  const released = unit.change('subscription_schedule', schedule, changes, 'subscription_schedule.released');
  if (subscription) {
    const revoked = keepsCancellation ? {} : { cancel_at: null, cancel_at_period_end: false, canceled_at: null };
    const freed = { schedule: null, ...(schedule.end_behavior === 'cancel' ? revoked : {}) };
    unit.update('subscription', subscription, freed);
  }
  return released;
}

/** Ends the schedule of a subscription that has ended: it is completed if it was to end the subscription now. */
export function endScheduleOf(unit: UnitOfWork, subscription: Subscription): void {
  const schedule = unit.tables.subscription_schedule.get(subscription.schedule ?? '');
  if (schedule?.status !== 'active') return;
  const isOver = schedule.end_behavior === 'cancel' && unit.now >= (schedule.current_phase?.end_date ?? Infinity);
  const ended = unit.store('subscription_schedule', schedule, {
    current_phase: null,
    ...(isOver ? { status: 'completed', completed_at: unit.now } : { status: 'canceled', canceled_at: unit.now }),
  });
  unit.emit(isOver ? 'subscription_schedule.completed' : 'subscription_schedule.canceled', ended);
}

/** Goes on to the next phase of a schedule, and returns it as it can begin; after the last one the schedule is released. */
export function beginNextPhase(
  unit: UnitOfWork,
  schedule: SubscriptionSchedule,
  subscription: Subscription,
): Phase | undefined {
  const next = nextPhaseOf(schedule);
  if (!next) return void releaseSchedule(unit, schedule);
  const current_phase = { start_date: next.start_date, end_date: next.end_date };
  unit.update('subscription_schedule', schedule, { current_phase });
  return beginning(next, subscription);
}

/**
 * Ends the phase of a subscription's schedule with the period: the next phase changes the subscription before the period is
 * billed that begins, and after the last one the schedule is released. Returns the subscription; the event about it is that
 * of the period.
 */
export function endPhaseAt(unit: UnitOfWork, subscription: Subscription, at: number): Subscription {
  const schedule = activeScheduleOf(unit, subscription);
  if (!schedule || at < (schedule.current_phase?.end_date ?? Infinity)) return subscription;
  const next = beginNextPhase(unit, schedule, subscription);
  if (!next) return asItIs(unit, subscription);
  const { after, discounts } = inPhase(unit, subscription, schedule, next);
  storeDiscounts(unit, discounts);
  removeDiscounts(unit, discountsOf(subscription), discountsOf(after));
  return unit.store('subscription', subscription, anchoredIn(after, subscription, next));
}

/**
 * Returns a subscription as the end of its period finds it when its schedule then goes on to another phase, and the
 * discounts that this redeems; nothing is stored.
 */
export function atPeriodEnd(
  unit: UnitOfWork,
  subscription: Subscription,
  end: number,
  schedule = activeScheduleOf(unit, subscription),
): ReturnType<typeof inPhase> {
  const isOver = schedule && end >= (schedule.current_phase?.end_date ?? Infinity);
  const next = isOver ? nextPhaseOf(schedule) : undefined;
  if (!schedule || !next) return { after: subscription, discounts: [] };
  const { after, discounts } = inPhase(unit, subscription, schedule, beginning(next, subscription));
  return { after: anchoredIn(after, subscription, next), discounts };
}

/** Writes what a subscription was changed to into the current phase of its schedule. */
export function mirrorInPhase(unit: UnitOfWork, subscription: Subscription): Subscription {
  const schedule = activeScheduleOf(unit, subscription);
  const current = schedule && currentPhaseOf(schedule);
  if (!schedule || !current) return subscription;
  const phases = schedule.phases.map(phase => (phase === current ? { ...current, ...billedBy(subscription) } : phase));
  unit.update('subscription_schedule', schedule, { phases });
  return subscription;
}
