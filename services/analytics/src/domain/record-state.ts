import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import {
  customerContributions,
  referralCodeContributions,
  referralContributions,
  subscriptionContributions,
  webhookEventContributions,
  type CountedSubscription,
} from './contributions.ts';
import { listedSubscription, type ListedSubscription } from './listed-subscription.ts';
import type { Contribution } from './metrics.ts';

/** Kinds of records whose newest state is counted. */
export type RecordKind = 'customer' | 'subscription' | 'webhook-event' | 'referral-code' | 'referral';

/** A tracked record's state, from an event or from the service that owns the record. */
export interface RecordState {
  readonly teamId: TeamId;
  readonly kind: RecordKind;
  readonly id: string;
  /** Null while the record belongs to no project; it is then counted nowhere. */
  readonly projectId: ProjectId | null;
  /** As its owner counts the record's changes, from 1: a higher one is newer. */
  readonly version: number;
  readonly recordedAt: Date;
  /** Returns what this state adds to the metrics. Only the newest of many states of a record is asked. */
  readonly contributions: () => readonly Contribution[];
  /** Null for other kinds than subscriptions. */
  readonly listed: (() => ListedSubscription) | null;
}

/** The team of a state, and when the state was recorded. */
export interface StateOrigin {
  readonly teamId: TeamId;
  readonly recordedAt: Date;
}

export const customerRecord = (origin: StateOrigin, state: CustomerState): RecordState =>
  recordState(origin, 'customer', state, () => customerContributions(state));

export const subscriptionRecord = (origin: StateOrigin, state: CountedSubscription): RecordState =>
  recordState(
    origin,
    'subscription',
    state,
    () => subscriptionContributions(state),
    () => listedSubscription(state),
  );

/** The part of a webhook event's state that is counted. */
interface CountedWebhookEvent {
  readonly id: string;
  readonly projectId: ProjectId | null;
  readonly status: WebhookEventStatus;
  readonly version: number;
}

export const webhookEventRecord = (origin: StateOrigin, state: CountedWebhookEvent): RecordState =>
  recordState(origin, 'webhook-event', state, () => webhookEventContributions(state.status));

export const referralCodeRecord = (
  origin: StateOrigin,
  { code, projectId, version }: { code: string; projectId: ProjectId; version: number },
): RecordState => recordState(origin, 'referral-code', { id: code, projectId, version }, referralCodeContributions);

export function referralRecord(origin: StateOrigin, state: ReferralState): RecordState {
  const { id, projectId, status } = state;
  // A referral has no version: it can only go from pending to converted.
  const version = status === 'converted' ? 2 : 1;
  return recordState(origin, 'referral', { id, projectId, version }, () => referralContributions(state));
}

/** Names every field, since spreading states costs more than the rest. */
const recordState = (
  { teamId, recordedAt }: StateOrigin,
  kind: RecordKind,
  { id, projectId, version }: Pick<RecordState, 'id' | 'projectId' | 'version'>,
  contributions: RecordState['contributions'],
  listed: RecordState['listed'] = null,
): RecordState => ({ teamId, kind, id, projectId, version, recordedAt, contributions, listed });
