import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
} from '@billing/contracts/events/referrals';
import { SyncApplied } from '@billing/contracts/events/webhooks';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { semaphore } from '@billing/messaging/semaphore';
import type { Linger } from '@billing/database/linger';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  customerRecord,
  referralRecord,
  referralCodeRecord,
  subscriptionRecord,
  webhookEventRecord,
  type RecordState,
  type StateOrigin,
} from '#domain/record-state.ts';
import { countRecords } from '#operations/count-records.ts';
import { saveProjects } from '#operations/save-projects.ts';
import { saveSync } from '#persistence/projects.ts';
import { countedSubscriptionEvents, CountedWebhookEventsChanged } from './counted-events.ts';

/** No request waits for metrics, and an event in a large batch costs a fraction of one in a small batch. */
const LINGER: Linger = { times: 10, longestMs: 1_000 };

/**
 * The consumers of analytics. Each has one handler, so that a transaction takes its locks once and in order: the team's
 * webhook events, then projects by id. They lock the same projects, so their batches run one at a time.
 */
export function analyticsEvents(): Consumer[] {
  const options = { linger: LINGER, limitBatches: semaphore(1) };
  return [
    consumer('analytics-projects', 'project.*.v1', options).on([ProjectCreated, ProjectUpdated], (tx, deliveries) =>
      saveProjects(
        tx,
        deliveries.map(({ data, event }) => ({ state: data, occurredAt: event.occurredAt })),
      ),
    ),
    consumer('analytics-customers', 'customer.*.v1', options).on(
      [CustomerCreated, CustomerUpdated, CustomerDeleted],
      counting(customerRecord),
    ),
    consumer('analytics-subscriptions', 'subscription.*.v1', options).on(
      countedSubscriptionEvents,
      counting(subscriptionRecord),
    ),
    consumer('analytics-webhook-events', 'webhook-event.*.v1', options).on(
      CountedWebhookEventsChanged,
      countingAll((origin, { webhookEvents }) => webhookEvents.map(state => webhookEventRecord(origin, state))),
    ),
    consumer('analytics-referral-codes', 'referral-code.*.v1', options).on(
      [ReferralCodeCreated, ReferralCodeDeactivated],
      counting(referralCodeRecord),
    ),
    consumer('analytics-referrals', 'referral.*.v1', options).on(
      [ReferralCreated, ReferralConverted],
      counting(referralRecord),
    ),
    consumer('analytics-syncs', 'sync.applied.v1', options).on(SyncApplied, async (tx, deliveries) => {
      const sorted = deliveries.toSorted((a, b) => (a.data.projectId < b.data.projectId ? -1 : 1));
      for (const { teamId, data } of sorted) await saveSync(tx, { teamId, projectId: data.projectId }, data.at);
    }),
  ];
}

/** Handles events that carry one state each. */
const counting = <State>(toRecord: (origin: StateOrigin, state: State) => RecordState) =>
  countingAll<State>((origin, state) => [toRecord(origin, state)]);

/** Handles events that carry the states of one or more records. */
function countingAll<Data>(toRecord: (origin: StateOrigin, data: Data) => RecordState[]) {
  return async (tx: EntityManager, deliveries: readonly Delivery<Data>[]): Promise<void> => {
    const states = deliveries.flatMap(({ teamId, event, data }) =>
      toRecord({ teamId, recordedAt: event.occurredAt }, data),
    );
    await countRecords(tx, states);
  };
}
