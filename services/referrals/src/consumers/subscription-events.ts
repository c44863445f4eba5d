import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type SubscriptionChange,
} from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { recordFilter } from '@billing/contracts/events/record-event';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { z } from 'zod';
import { convertReferrals, type ConvertReferralsDependencies } from '#operations/convert-referrals.ts';

/** Converts the referrals of customers who subscribe, and gives the credits once their subscriptions are active. */
export function subscriptionEvents(dependencies: ConvertReferralsDependencies): Consumer {
  const convert = convertReferrals(dependencies);
  return consumer('referrals-subscriptions', recordFilter('subscription'), { concerns: concernsReferrals }).on(
    [SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled],
    async (tx, deliveries, publish) => {
      const subscribers = deliveries.map(({ teamId, event, data, trace }) => {
        const { projectId, customerId, startedAt } = data;
        // What a sync found is older history, and converts nothing. When it was active counts: no update may follow that says so.
        const isFound = 'fromSync' in data && data.fromSync === true;
        const converts = event.type === SubscriptionCreated.name && !isFound;
        const activeStartedAt = wasActive(data) ? startedAt : null;
        const subscribedAt = event.occurredAt;
        return { teamId, projectId, customerId, subscribedAt, startedAt, activeStartedAt, converts, trace };
      });
      await convert(tx, subscribers, publish);
    },
  );
}

/** An update that leaves status and customer as they were. */
const otherUpdate = z.object({
  status: z.enum(SUBSCRIPTION_STATUSES),
  change: z.object({
    previousAttributes: z
      .record(z.string(), z.unknown())
      .refine(previous => !('status' in previous) && !('customerId' in previous)),
  }),
});

/** Whether an event may be the first that shows a subscription as active: an update is not that leaves an active one active. */
function concernsReferrals({ type, data }: Envelope): boolean {
  const other = type === SubscriptionUpdated.name ? otherUpdate.safeParse(data) : undefined;
  return !other?.success || NEVER_ACTIVE.has(other.data.status);
}

/** A subscription may reach these without having been active or trialing, and no others. */
const NEVER_ACTIVE: ReadonlySet<SubscriptionStatus> = new Set(['incomplete', 'incomplete_expired', 'canceled']);

/** Whether a state that the change shows tells that the subscription is or was active or trialing. */
const wasActive = ({ status, shown }: SubscriptionChange): boolean =>
  [status, ...shown.map(it => it.status)].some(it => !NEVER_ACTIVE.has(it));
