import type { EntityManager } from '@mikro-orm/postgresql';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { TeamId } from '@billing/contracts/ids';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import { convertReferral } from '#operations/convert-referral.ts';

/** A customer's subscription converts the referral that brought the customer. */
export function reactToSubscriptions(em: EntityManager, clock: () => Date, logger: Logger): Inbox {
  return new Inbox(em, 'referrals-subscriptions', logger).on(SubscriptionCreated, (tx, subscription, event) => {
    const { projectId, customerId: refereeCustomerId } = subscription;
    const teamId = event.teamId as TeamId; // facts carry the id of the team whose service recorded them
    const subscribed = { refereeCustomerId, subscribedAt: event.occurredAt, now: clock() };
    return convertReferral(tx, { teamId, projectId }, subscribed);
  });
}
