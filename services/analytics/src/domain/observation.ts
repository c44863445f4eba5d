import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import {
  customerContributions,
  endOf,
  liveMetricOf,
  referralCodeContributions,
  referralContributions,
  subscriptionContributions,
  webhookEventContributions,
  type CountedSubscription,
} from './contributions.ts';
import type { Contribution } from './metrics.ts';
import { revenuePeriodOf, type RevenuePeriod } from './revenue-periods.ts';
import { currencyOf, faceValue, isLive, sumTerms, toDecimalText } from './revenue.ts';
import type { ListedSubscription } from './tracked-record.ts';
import { laterOf } from './utc-day.ts';

/** Kinds of records whose newest state is counted. */
export type RecordKind = 'customer' | 'subscription' | 'webhook-event' | 'referral-code' | 'referral';

/** One reading of a record's state, from an event or from the service that owns the record. */
export interface Observation {
  readonly teamId: TeamId;
  readonly kind: RecordKind;
  readonly id: string;
  /** Null while the record belongs to no project; it is then counted nowhere. */
  readonly projectId: ProjectId | null;
  /** 1 or higher; a higher version is newer. */
  readonly version: number;
  readonly recordedAt: Date;
  /**
   * Returns what this state adds to the metrics, except movements and lifetimes, which follow from all versions together.
   * Only the newest of many observations of a record is asked.
   */
  readonly contributions: () => readonly Contribution[];
  /** Null for other kinds than subscriptions, as `revenuePeriod`. */
  readonly listed: (() => ListedSubscription) | null;
  readonly revenuePeriod: RevenuePeriod | null;
}

/** The team of an observed state, and when the state was recorded. */
export interface ObservationOrigin {
  readonly teamId: TeamId;
  readonly recordedAt: Date;
}

export const observeCustomer = (origin: ObservationOrigin, state: CustomerState): Observation =>
  observation(origin, 'customer', state, () => customerContributions(state));

export function observeSubscription(origin: ObservationOrigin, state: CountedSubscription): Observation {
  const revenuePeriod = revenuePeriodOf(state, origin.recordedAt);
  const listed = () => listedSubscription(state);
  return observation(origin, 'subscription', state, () => subscriptionContributions(state), { listed, revenuePeriod });
}

function listedSubscription(state: CountedSubscription): ListedSubscription {
  const { customerId, status, items, startedAt, createdAt } = state;
  const endedAt = endOf(state);
  return {
    customerId,
    status,
    currency: currencyOf(items),
    amount: toDecimalText(sumTerms(faceValue(items))),
    liveMetric: isLive(status) ? liveMetricOf(items) : null,
    createdAt,
    endedAt: endedAt && laterOf(startedAt, endedAt),
  };
}

/** The part of a webhook event's state that is counted. */
interface CountedWebhookEvent {
  readonly id: string;
  readonly projectId: ProjectId | null;
  readonly status: WebhookEventStatus;
  readonly version: number;
}

export const observeWebhookEvent = (origin: ObservationOrigin, state: CountedWebhookEvent): Observation =>
  observation(origin, 'webhook-event', state, () => webhookEventContributions(state.status));

export const observeReferralCode = (
  origin: ObservationOrigin,
  { code, projectId, version }: { code: string; projectId: ProjectId; version: number },
): Observation => observation(origin, 'referral-code', { id: code, projectId, version }, referralCodeContributions);

export function observeReferral(origin: ObservationOrigin, state: ReferralState): Observation {
  const { id, projectId, status } = state;
  // A referral has no version: it can only go from pending to converted.
  const version = status === 'converted' ? 2 : 1;
  return observation(origin, 'referral', { id, projectId, version }, () => referralContributions(state));
}

/** Names every field, since spreading states costs more than the rest of an observation. */
const observation = (
  { teamId, recordedAt }: ObservationOrigin,
  kind: RecordKind,
  { id, projectId, version }: Pick<Observation, 'id' | 'projectId' | 'version'>,
  contributions: Observation['contributions'],
  { listed, revenuePeriod }: Pick<Observation, 'listed' | 'revenuePeriod'> = NO_SUBSCRIPTION,
): Observation => ({ teamId, kind, id, projectId, version, recordedAt, contributions, listed, revenuePeriod });

const NO_SUBSCRIPTION = { listed: null, revenuePeriod: null };
