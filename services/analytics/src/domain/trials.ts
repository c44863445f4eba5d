import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { allTime, METRIC, oneAt, TRIAL_METRIC, type Contribution } from './metrics.ts';
import { roundHalfUp } from './revenue.ts';

/** What the versions of a subscription say about its trial: nothing, that there was one, or that it was active after it. */
export const TRIAL_EVIDENCE = ['none', 'seen', 'converted'] as const;
export type TrialEvidence = (typeof TRIAL_EVIDENCE)[number];

type Trial = Pick<SubscriptionState, 'status' | 'trialEnd'>;

/** What one version says. An active subscription with a trial is past it. */
export function trialEvidenceOf({ status, trialEnd }: Trial): TrialEvidence {
  if (status === 'trialing') return 'seen';
  return status === 'active' && trialEnd ? 'converted' : 'none';
}

/** The strongest evidence, so versions may come in any order. */
export const strongest = (evidence: readonly TrialEvidence[]): TrialEvidence =>
  TRIAL_EVIDENCE.findLast(one => evidence.includes(one)) ?? 'none';

/** What the newest state of a subscription adds when its trial is over: the trial ended when it was to, or with the subscription. */
export function endedTrialContributions({ status, trialEnd }: Trial, endedAt: Date | null): Contribution[] {
  if (!trialEnd || status === 'trialing' || status === 'incomplete' || status === 'incomplete_expired') return [];
  const isCutShort = endedAt !== null && endedAt <= trialEnd;
  return [
    ...oneAt(TRIAL_METRIC.ended, isCutShort ? endedAt : trialEnd),
    ...(isCutShort || status === 'paused' ? [] : [allTime(METRIC.trialsOutlived)]),
  ];
}

/**
 * What the evidence of all versions adds to what the newest state adds, `ofState`. A trial has converted when the
 * subscription was active after it. One that was never seen in its trial, nor active, is first known after it: it has
 * converted if it went on after the trial, as Stripe's subscriptions do only when active, and is not paused.
 */
export function trialResultContributions(ofState: readonly Contribution[], evidence: TrialEvidence): Contribution[] {
  const endedAt = trialEndIn(ofState);
  const isOutlived = ofState.some(({ metric }) => metric === METRIC.trialsOutlived);
  const isConverted = evidence === 'converted' || (evidence === 'none' && isOutlived);
  return [
    ...(evidence === 'seen' ? [allTime(METRIC.trialsSeen)] : []),
    ...(evidence === 'converted' ? [allTime(METRIC.trialsActivated)] : []),
    ...(endedAt && isConverted ? oneAt(TRIAL_METRIC.converted, endedAt) : []),
  ];
}

/** The evidence that `trialResultContributions` was given. */
export function evidenceIn(contributions: readonly Contribution[]): TrialEvidence {
  if (contributions.some(({ metric }) => metric === METRIC.trialsActivated)) return 'converted';
  return contributions.some(({ metric }) => metric === METRIC.trialsSeen) ? 'seen' : 'none';
}

/** When the trial of a subscription ended, told from its contributions; null while it lasts, and without one. */
export function trialEndIn(contributions: readonly Contribution[]): Date | null {
  const ended = contributions.find(({ metric }) => metric === TRIAL_METRIC.ended.exact);
  return ended ? new Date(ended.bucket) : null;
}

/** Returns whether the trial of a subscription with these contributions has converted. */
export const hasConverted = (contributions: readonly Contribution[]): boolean =>
  contributions.some(({ metric }) => metric === TRIAL_METRIC.converted.exact);

const RESULT_METRICS: ReadonlySet<string> = new Set([
  METRIC.trialsSeen,
  METRIC.trialsActivated,
  ...Object.values(TRIAL_METRIC.converted),
]);

/** Returns whether `trialResultContributions` made a contribution. */
export const isOfTrialResult = ({ metric }: Contribution): boolean => RESULT_METRICS.has(metric);

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
