import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Subscription, SubscriptionSchedule } from '../objects/stored.ts';
import { asItIs } from '../objects/subscription.ts';
import { applyChange } from './apply-change.ts';
import { activeScheduleOf, inPhase } from './phases.ts';
import { planChange } from './plan-change.ts';
import { beginNextPhase } from './subscription-schedules.ts';

/** Returns when the current phase of a subscription's schedule ends, in Unix seconds; null without one. */
export function phaseEndOf(unit: UnitOfWork, subscription: Subscription): number | null {
  return activeScheduleOf(unit, subscription)?.current_phase?.end_date ?? null;
}

/** Ends a phase within a period of its subscription: the next phase changes it, prorated as that says. */
export function endPhaseWithinPeriod(unit: UnitOfWork, subscription: Subscription): Subscription {
  const schedule = activeScheduleOf(unit, subscription);
  if (!schedule) return subscription;
  const next = beginNextPhase(unit, schedule, subscription);
  return next ? changeToPhase(unit, subscription, schedule, next) : asItIs(unit, subscription);
}

/** Changes a subscription now to what a phase wants. `behavior` prorates it otherwise than the phase says. */
export function changeToPhase(
  unit: UnitOfWork,
  subscription: Subscription,
  schedule: SubscriptionSchedule,
  phase: SubscriptionSchedule['phases'][number],
  behavior = phase.proration_behavior,
): Subscription {
  const { after, discounts } = inPhase(unit, subscription, schedule, phase);
  const terms = {
    prorationBehavior: behavior,
    prorationDate: null,
    resetsAnchor: phase.billing_cycle_anchor === 'phase_start' && phase.start_date === unit.now,
    // A phase that does not name the end of the trial ends it.
    endsTrial: subscription.status === 'trialing' && (phase.trial_end ?? 0) <= unit.now,
  };
  return applyChange(unit, subscription, planChange(unit, subscription, after, terms, discounts));
}
