import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { convertReferrals, type ConvertReferralsDependencies } from '#operations/convert-referrals.ts';

/** Deliveries in flight: under load a batch grows, and costs little more than a single event. */
const MAX_IN_FLIGHT = 4_096;

/** Converts the referrals of customers who subscribe. */
export function subscriptionEvents(dependencies: ConvertReferralsDependencies): Consumer {
  const convert = convertReferrals(dependencies);
  const options = { maxInFlight: MAX_IN_FLIGHT };
  return consumer('referrals-subscriptions', 'subscription.created.v1', options).on(
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
