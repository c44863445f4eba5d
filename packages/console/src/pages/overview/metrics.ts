import type { Analytics, AnalyticsHistory, AnalyticsSubscriptionFilters } from '@billing/client';

export type Metric = AnalyticsSubscriptionFilters['metric'];
/** A movement of revenue. */
type MovementMetric = keyof AnalyticsHistory['totals'];

interface Shown {
  readonly title: string;
  readonly lead: string;
  /** What the list has no row for. */
  readonly leftOut: string;
}

const OTHER_PRICES =
  'Prices with tiers, prices by usage and other currencies add nothing to revenue, so they move none.';

/** What the list behind each metric shows. */
export const METRICS: Readonly<Record<Metric, Shown>> = {
  mrr: {
    title: 'Subscriptions in MRR',
    lead: 'Every active and trialing subscription that monthly recurring revenue adds up.',
    leftOut: 'Subscriptions that are past due, unpaid, paused, incomplete or ended, and one-time prices.',
  },
  mrrTrialing: {
    title: 'Trials in MRR',
    lead: 'Every subscription in a trial that monthly recurring revenue adds up.',
    leftOut: 'Trials of subscriptions without revenue, for example billed by usage.',
  },
  mrrDiscounted: {
    title: 'MRR after discounts',
    lead: 'Every subscription in monthly recurring revenue, with its amount after discounts that last.',
    leftOut: 'Discounts for a single invoice, and those that end within a month.',
  },
  mrrPaused: {
    title: 'Paused collection in MRR',
    lead: 'Every subscription in monthly recurring revenue whose payments are not collected at present.',
    leftOut: 'Subscriptions with the status paused: they are not in MRR.',
  },
  churn: {
    title: 'Churned subscriptions',
    lead: 'They were active or trialing at the start of the window, and ended in it.',
    leftOut:
      'Subscriptions that both started and ended in the window, those that were past due, unpaid or paused at its start, and those that are to end later.',
  },
  excluded: {
    title: 'Left out of MRR',
    lead: 'Live subscriptions that monthly recurring revenue leaves out, wholly or in part, and why.',
    leftOut: 'Subscriptions that are neither active nor trialing.',
  },
  trialConversion: {
    title: 'Trials that ended',
    lead: 'Their trial ended in the window; it has converted if the subscription was active after it.',
    leftOut: 'Trials that still run, and subscriptions whose first payment was never made.',
  },
  cancellations: {
    title: 'Cancellations',
    lead: 'Subscriptions that were canceled in the window, whether or not they have ended yet.',
    leftOut: 'Subscriptions that were resumed, and those that ended because a payment failed or was disputed.',
  },
  newMrr: {
    title: 'New revenue',
    lead: 'Subscriptions that had revenue for the first time.',
    leftOut: OTHER_PRICES,
  },
  expansionMrr: {
    title: 'Expansion',
    lead: 'Subscriptions with revenue whose revenue rose.',
    leftOut: OTHER_PRICES,
  },
  reactivatedMrr: {
    title: 'Reactivated revenue',
    lead: 'Subscriptions that had lost all their revenue, for example past due ones, and have some again.',
    leftOut: `A new subscription of a customer who had left is new revenue. ${OTHER_PRICES}`,
  },
  contractionMrr: {
    title: 'Contraction',
    lead: 'Subscriptions whose revenue fell without their end, past due and paused ones included.',
    leftOut: OTHER_PRICES,
  },
  churnedMrr: {
    title: 'Churned revenue',
    lead: 'Subscriptions with revenue that ended.',
    leftOut: `Subscriptions that had no revenue any more when they ended, for example past due ones. ${OTHER_PRICES}`,
  },
  netMrr: {
    title: 'Net change of revenue',
    lead: 'Every subscription whose revenue moved, with all of its movements together.',
    leftOut: OTHER_PRICES,
  },
};

/** The movements in the order of the legend, with their keys in a period. */
export const MOVEMENTS = [
  { key: 'new', metric: 'newMrr', name: 'New' },
  { key: 'expansion', metric: 'expansionMrr', name: 'Expansion' },
  { key: 'reactivated', metric: 'reactivatedMrr', name: 'Reactivated' },
  { key: 'contraction', metric: 'contractionMrr', name: 'Contraction' },
  { key: 'churned', metric: 'churnedMrr', name: 'Churned' },
] as const;

export const NET = { key: 'net', metric: 'netMrr', name: 'Net' } as const;

/** Returns the metric that the address names, MRR by default. */
export const metricOf = (value: unknown): Metric =>
  typeof value === 'string' && Object.hasOwn(METRICS, value) ? (value as Metric) : 'mrr'; // its keys are the metrics

export const isMovement = (metric: Metric): metric is MovementMetric =>
  metric === NET.metric || MOVEMENTS.some(it => it.metric === metric);

/** The number of live subscriptions that MRR leaves out. */
export const excludedCount = ({ mrrExcluded }: Analytics): number =>
  Object.values(mrrExcluded).reduce((sum, count) => sum + count, 0);
