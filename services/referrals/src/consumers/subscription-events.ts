import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { convertReferrals, type ConvertReferralsDependencies } from '#operations/convert-referrals.ts';

/** Converts the referrals of customers who subscribe. */
export function subscriptionEvents(dependencies: ConvertReferralsDependencies): Consumer {
  const convert = convertReferrals(dependencies);
  return consumer('referrals-subscriptions', 'subscription.created.v1').on(
    SubscriptionCreated,
    async (tx, deliveries, publish) => {
      const subscribers = deliveries.map(({ teamId, event, data, trace }) => {
        const { projectId, customerId, startedAt, fromSync = false } = data;
        return { teamId, projectId, customerId, subscribedAt: event.occurredAt, startedAt, converts: !fromSync, trace };
      });
      await convert(tx, subscribers, publish);
    },
  );
}
