import type { EntityManager } from '@mikro-orm/postgresql';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type ShownState,
  type SubscriptionState,
} from '@billing/contracts/events/subscriptions';
import type { Publish } from '@billing/messaging/outbox';
import { saveRecord, type RecordKind, type Source } from '@billing/service/save-record';
import { concernsState } from '#state/customer-state.rules';
import { markStatesOf } from '#state/state-marks';
import { inParts } from './shown-states.rules.ts';
import { subscriptionRows } from './subscription-rows.ts';
import { observedAtOf, toState, type Subscription } from './subscription.entity.ts';

const SUBSCRIPTION: RecordKind<Subscription, SubscriptionState> = {
  object: 'subscription',
  toState,
  eventOf: ({ status }, before) => {
    if (!before) return SubscriptionCreated;
    return status === 'canceled' && before.status !== 'canceled' ? SubscriptionCanceled : SubscriptionUpdated;
  },
};

/** A row that is to be saved. */
export interface SavedSubscription {
  readonly row: Subscription;
  /** What `toState` returned before the row was changed; null for a new one. */
  readonly before: SubscriptionState | null;
  readonly source: Source;
  /** The states that were shown and were not known before. */
  readonly shown?: readonly ShownState[] | undefined;
  /** False when states were shown but the record includes something newer: then only they are published. */
  readonly isChanged?: boolean;
  /** Whether a sync found it. */
  readonly fromSync?: boolean | undefined;
  /** Whether its trial ends soon, which was not published yet. */
  readonly isTrialEnding?: boolean;
}

/**
 * Saves subscriptions: whoever writes one comes here. Each change is published once, with the states that became known with it;
 * what a message cannot carry of those follows in messages of their own. The caller holds the locks.
 */
export async function saveSubscriptions(
  tx: EntityManager,
  publish: Publish,
  saved: readonly SavedSubscription[],
  now: Date,
): Promise<void> {
  const [changed, concerned]: [Subscription[], Subscription[]] = [[], []];
  for (const { row, before, source, shown = [], isChanged = true, fromSync, isTrialEnding } of saved) {
    const [first, ...others] = inParts(shown);
    const carry = (part: readonly ShownState[]) => ({ shown: [...part], observedAt: observedAtOf(row) });
    const publishShown = (part: readonly ShownState[]) =>
      publish(SubscriptionUpdated, row.teamId, { ...toState(row), ...carry(part) }, source.trace);
    if (isChanged) {
      changed.push(row);
      const after = toState(row);
      if (before?.customerId !== row.customerId || concernsState(before, after)) concerned.push(row);
      const carried = { ...carry(first), ...(fromSync && { fromSync }) };
      const also = isTrialEnding ? 'subscription.trial_ending' : undefined;
      const isPublished = saveRecord(publish, SUBSCRIPTION, row, { ...source, before, now, carried, also });
      if (!isPublished && first.length > 0) publishShown(first);
    } else publishShown(first);
    for (const part of others) publishShown(part);
  }
  await subscriptionRows.save(tx, changed);
  await markStatesOf(tx, concerned);
}

/** Notes, once for each end of a trial, that the end was published as near, if the trial still goes on to that end. */
export function announceTrialEnd(row: Subscription, trialEnd: Date | null): boolean {
  const end = row.trialEnd?.getTime();
  const isCurrent = row.status === 'trialing' && end !== undefined && end === trialEnd?.getTime();
  if (!isCurrent || end === row.announcedTrialEnd?.getTime()) return false;
  row.announcedTrialEnd = row.trialEnd;
  return true;
}
