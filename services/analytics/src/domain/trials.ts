import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { oneAt, TRIAL_METRIC, type Contribution } from './metrics.ts';
import { roundHalfUp } from './revenue.ts';
import type { Timeline } from './timeline.ts';

/**
 * What a subscription adds when its trial is over: the trial ended when it was to, or with the subscription. It has converted
 * when the subscription was active after it. One that was never seen in its trial, nor active, has converted if it went on
 * after the trial, as Stripe's subscriptions do only when active, and is not paused.
 */
export function trialContributions(
  { status, trialEnd }: Pick<SubscriptionState, 'status' | 'trialEnd'>,
  { periods, endedAt, isPresumed }: Timeline,
): Contribution[] {
  if (!trialEnd || status === 'trialing' || status === 'incomplete' || status === 'incomplete_expired') return [];
  const isCutShort = endedAt !== null && endedAt <= trialEnd;
  const known = isPresumed ? [] : periods;
  const wasSeen = known.some(period => period.status === 'trialing');
  // An active subscription with a trial is past it.
  const wasActive = known.some(period => period.status === 'active' && period.hasTrial);
  const hasConverted = wasActive || (!wasSeen && !isCutShort && status !== 'paused');
  const at = isCutShort ? endedAt : trialEnd;
  return [...oneAt(TRIAL_METRIC.ended, at), ...(hasConverted ? oneAt(TRIAL_METRIC.converted, at) : [])];
}

/** When the trial of a subscription ended, told from its contributions; null while it lasts, and without one. */
export function trialEndIn(contributions: readonly Contribution[]): Date | null {
  const ended = contributions.find(({ metric }) => metric === TRIAL_METRIC.ended.exact);
  return ended ? new Date(ended.bucket) : null;
}

/** Returns whether the trial of a subscription with these contributions has converted. */
export const hasConverted = (contributions: readonly Contribution[]): boolean =>
  contributions.some(({ metric }) => metric === TRIAL_METRIC.converted.exact);

/** Counts of trials that ended later than a time. */
export interface TrialCounts {
  readonly ended: bigint;
  readonly converted: bigint;
}

/** Trials that ended inside a window: their number, how many converted, and the percentage of these to two decimals. */
export function trialConversion(afterStart: TrialCounts, fromNow: TrialCounts) {
  const ended = afterStart.ended - fromNow.ended;
  const converted = afterStart.converted - fromNow.converted;
  const rate = ended > 0n ? Number(roundHalfUp(converted * 10_000n, ended)) / 100 : 0;
  return { ended: Number(ended), converted: Number(converted), rate };
}
