import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
} from '@billing/contracts/events/referrals';
import { SyncApplied, WebhookEventsCounted } from '@billing/contracts/events/webhooks';
import { recordFilter } from '@billing/contracts/events/record-event';
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
  type RecordState,
  type StateOrigin,
} from '#domain/record-state.ts';
import { countRecords } from '#operations/count-records.ts';
import { lockNewest } from '#operations/lock-newest.ts';
import { saveProjects } from '#operations/save-projects.ts';
import { saveSync } from '#persistence/projects.ts';
import { saveWebhookEventCounts } from '#persistence/webhook-event-counts.ts';
import { countedSubscriptionEvents } from './counted-events.ts';

/** No request waits for metrics, and an event in a large batch costs a fraction of one in a small batch. */
const LINGER: Linger = { times: 10, longestMs: 1_000 };

/**
 * The consumers of analytics. Each has one handler, so that a transaction locks its projects once, in the order of their
 * ids. They lock the same projects, so their batches run one at a time.
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
    consumer('analytics-customers', recordFilter('customer'), options).on(
      [CustomerCreated, CustomerUpdated, CustomerDeleted],
      counting(customerRecord),
    ),
    consumer('analytics-subscriptions', recordFilter('subscription'), options).on(
      countedSubscriptionEvents,
      counting(subscriptionRecord),
    ),
    consumer('analytics-webhook-events', 'webhook-events.counted.v1', options).on(
      WebhookEventsCounted,
      async (tx, deliveries) => {
        const counts = deliveries.map(({ teamId, event: { occurredAt }, data }) => {
          return { change: { teamId, ...data }, occurredAt };
        });
        await saveWebhookEventCounts(tx, await lockNewest(tx, counts));
      },
    ),
    consumer('analytics-referral-codes', recordFilter('referral-code'), options).on(
      [ReferralCodeCreated, ReferralCodeDeactivated],
      counting(referralCodeRecord),
    ),
    consumer('analytics-referrals', recordFilter('referral'), options).on(
      [ReferralCreated, ReferralConverted],
      counting(referralRecord),
    ),
    consumer('analytics-syncs', 'sync.applied.v1', options).on(SyncApplied, async (tx, deliveries) => {
      const sorted = deliveries.toSorted((a, b) => (a.data.projectId < b.data.projectId ? -1 : 1));
      for (const { teamId, data } of sorted) await saveSync(tx, { teamId, projectId: data.projectId }, data.at);
    }),
  ];
}

/** Handles events that carry the state of a record. */
function counting<State>(toRecord: (origin: StateOrigin, state: State) => RecordState) {
  return async (tx: EntityManager, deliveries: readonly Delivery<State>[]): Promise<void> => {
    const states = deliveries.map(({ teamId, event, data }) =>
      toRecord({ teamId, recordedAt: event.occurredAt }, data),
    );
    await countRecords(tx, states);
  };
}
