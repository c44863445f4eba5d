import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { ShownState, SubscriptionChange } from '@billing/contracts/events/subscriptions';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import {
  customerContributions,
  referralCodeContributions,
  referralContributions,
  subscriptionContributions,
} from './contributions.ts';
import type { CountedSubscription } from './counted-subscription.ts';
import { writeState, type Point } from './lived-state.ts';
import type { Contribution } from './metrics.ts';

/** Kinds of records whose newest state is counted. */
export type RecordKind = 'customer' | 'subscription' | 'referral-code' | 'referral';

/** A tracked record's state, from an event or from the service that owns the record. */
export interface RecordState {
  readonly teamId: TeamId;
  readonly kind: RecordKind;
  readonly id: string;
  readonly projectId: ProjectId;
  /** As its owner counts the record's changes, from 1: a higher one is newer. */
  readonly version: number;
  readonly recordedAt: Date;
  /**
   * Returns what this state adds to the metrics, for a subscription with all that was shown of it. Only the newest of many
   * states of a record is read.
   */
  readonly contributions: (points: readonly Point[]) => readonly Contribution[];
  /** Null for other kinds. */
  readonly subscription: CountedSubscription | null;
  /** What became known of a subscription with this state; its past follows from all of it, whatever the version. */
  readonly shown: readonly Point[];
}

/** The team of a state, and when the state was recorded. */
export interface StateOrigin {
  readonly teamId: TeamId;
  readonly recordedAt: Date;
}

export const customerRecord = (origin: StateOrigin, state: CustomerState): RecordState =>
  recordState(origin, 'customer', state, () => customerContributions(state));

/** A subscription with the states that became known with it. */
type ChangedSubscription = CountedSubscription & Pick<SubscriptionChange, 'id' | 'projectId' | 'version' | 'shown'>;

export const subscriptionRecord = (origin: StateOrigin, state: ChangedSubscription): RecordState =>
  recordState(
    origin,
    'subscription',
    state,
    points => subscriptionContributions({ ...state, points }),
    state,
    state.shown.map(toPoint),
  );

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
  subscription: RecordState['subscription'] = null,
  shown: RecordState['shown'] = [],
): RecordState => ({ teamId, kind, id, projectId, version, recordedAt, contributions, subscription, shown });

const toPoint = ({ at, by, status, hasTrial, items }: ShownState): Point => ({
  at: at.getTime(),
  by,
  state: writeState(status, hasTrial, items),
});
