import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type SubscriptionChange,
} from '@billing/contracts/events/subscriptions';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { convertReferrals, type ConvertReferralsDependencies } from '#operations/convert-referrals.ts';

/** Converts the referrals of customers who subscribe, and gives the credits once their subscriptions are active. */
export function subscriptionEvents(dependencies: ConvertReferralsDependencies): Consumer {
  const convert = convertReferrals(dependencies);
  return consumer('referrals-subscriptions', 'subscription.*.v1').on(
    [SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled],
    async (tx, deliveries, publish) => {
      const subscribers = deliveries.map(({ teamId, event, data, trace }) => {
        const { projectId, customerId, startedAt } = data;
        // What a sync found is older history.
        const isFound = 'fromSync' in data && data.fromSync === true;
        const converts = event.type === SubscriptionCreated.name && !isFound;
        const activeStartedAt = wasActive(data) && !isFound ? startedAt : null;
        const subscribedAt = event.occurredAt;
        return { teamId, projectId, customerId, subscribedAt, startedAt, activeStartedAt, converts, trace };
      });
      await convert(tx, subscribers, publish);
    },
  );
}

/** A subscription may reach these without having been active or trialing, and no others. */
const NEVER_ACTIVE: ReadonlySet<SubscriptionStatus> = new Set(['incomplete', 'incomplete_expired', 'canceled']);

/** Whether a state that the change shows tells that the subscription is or was active or trialing. */
const wasActive = ({ status, shown }: SubscriptionChange): boolean =>
  [status, ...shown.map(it => it.status)].some(it => !NEVER_ACTIVE.has(it));
