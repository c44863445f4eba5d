import { toDecimalText } from '@billing/contracts/decimal-text';
import type { CustomerId } from '@billing/contracts/ids';
import { sumTerms } from '@billing/contracts/item-revenue';
import type { CancellationReason } from '@billing/contracts/resources/cancellation';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { liveMetricOf } from './contributions.ts';
import type { CountedSubscription } from './counted-subscription.ts';
import { currencyOf, faceValue } from './revenue.ts';
import { endOf } from './timeline.ts';
import { laterOf } from './utc-day.ts';

/** What lists show of a subscription, and how they find it. */
export interface ListedSubscription {
  readonly customerId: CustomerId;
  readonly status: SubscriptionStatus;
  /** Null without items. */
  readonly currency: string | null;
  /** What it is worth a month at face value, whatever its status, in minor units: decimal text. */
  readonly amount: string;
  /** The metric in which it counts while active or trialing. */
  readonly liveMetric: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** When somebody requested its end; null when nobody did, or it was taken back, and on a test clock. */
  readonly canceledAt: Date | null;
  readonly cancelReason: CancellationReason | null;
}

/** Whether it counts as canceled: somebody requested its end. One whose first payment was never made was not canceled. */
const isCanceled = ({ status, cancelAtPeriodEnd, involuntary, testClockId }: CountedSubscription): boolean =>
  testClockId === null &&
  !involuntary &&
  (status === 'canceled' || (cancelAtPeriodEnd && status !== 'incomplete_expired'));

/** Returns what lists show of a subscription. */
export function listedSubscription(state: CountedSubscription): ListedSubscription {
  const { customerId, status, items, startedAt, createdAt } = state;
  const endedAt = endOf(state);
  return {
    customerId,
    status,
    currency: currencyOf(items),
    amount: toDecimalText(sumTerms(faceValue(items))),
    liveMetric: liveMetricOf(state),
    createdAt,
    endedAt: endedAt && laterOf(startedAt, endedAt),
    canceledAt: isCanceled(state) ? state.canceledAt : null,
    cancelReason: state.cancellation?.reason ?? null,
  };
}
