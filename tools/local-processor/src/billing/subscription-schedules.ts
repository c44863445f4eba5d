import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Subscription, SubscriptionSchedule } from '../objects/stored.ts';

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
  const released = unit.update('subscription_schedule', schedule, {
    status: 'released',
    current_phase: null,
    released_at: unit.now,
    released_subscription: schedule.subscription,
    subscription: null,
  });
  unit.emit('subscription_schedule.released', released);
  if (subscription) {
    const revoked = keepsCancellation ? {} : { cancel_at: null, cancel_at_period_end: false, canceled_at: null };
    const changes = { schedule: null, ...(schedule.end_behavior === 'cancel' ? revoked : {}) };
    unit.update('subscription', subscription, changes, 'customer.subscription.updated');
  }
  return released;
}

/** Ends the schedule of a subscription that has ended: it is completed if it was to end the subscription now. */
export function endScheduleOf(unit: UnitOfWork, subscription: Subscription): void {
  const schedule = unit.tables.subscription_schedule.get(subscription.schedule ?? '');
  if (schedule?.status !== 'active') return;
  const isOver = schedule.end_behavior === 'cancel' && unit.now >= (schedule.current_phase?.end_date ?? Infinity);
  const ended = unit.update('subscription_schedule', schedule, {
    current_phase: null,
    ...(isOver ? { status: 'completed', completed_at: unit.now } : { status: 'canceled', canceled_at: unit.now }),
  });
  unit.emit(isOver ? 'subscription_schedule.completed' : 'subscription_schedule.canceled', ended);
}

/** Releases a subscription's schedule whose last phase has ended. Returns the subscription. */
export function releaseAtPhaseEnd(unit: UnitOfWork, subscription: Subscription, at: number): Subscription {
  const schedule = unit.tables.subscription_schedule.get(subscription.schedule ?? '');
  if (schedule?.status !== 'active' || at < (schedule.current_phase?.end_date ?? Infinity)) return subscription;
  releaseSchedule(unit, schedule);
  return unit.tables.subscription.get(subscription.id) ?? subscription;
}
