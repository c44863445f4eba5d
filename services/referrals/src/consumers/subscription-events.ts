import type { EntityManager } from '@mikro-orm/postgresql';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import { Inbox, type Heard } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import { convertReferral, findSubscribersToConvert } from '#operations/convert-referral.ts';
import type { Subscriber } from '#persistence/customer-copies.ts';

interface SubscriptionEventsDependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Converts the referral of a customer who subscribes. Most customers were not referred: a batch records all of them at once. */
export function subscriptionEvents({ em, now, logger }: SubscriptionEventsDependencies): Inbox {
  return new Inbox(em, 'referrals-subscriptions', logger)
    .on(SubscriptionCreated, (tx, subscription, event) => convertReferral(tx, toSubscriber(subscription, event), now()))
    .together(async (tx, batch) => {
      const subscribers = batch.flatMap(parseSubscriber);
      const toConvert = await findSubscribersToConvert(tx, subscribers);
      return subscribers.filter(one => !toConvert.has(one)).map(one => one.delivery);
    });
}

/** Returns none for invalid data; the handler of the single event fails with it. */
function parseSubscriber(delivery: Heard): (Subscriber & { readonly delivery: Heard })[] {
  const subscription = SubscriptionCreated.data.safeParse(delivery.event.data);
  return subscription.success ? [{ ...toSubscriber(subscription.data, delivery.event), delivery }] : [];
}

function toSubscriber(
  { projectId, customerId }: { readonly projectId: ProjectId; readonly customerId: CustomerId },
  { teamId, occurredAt }: Envelope,
): Subscriber {
  // The publishing service sets the id of its team.
  return { teamId: teamId as TeamId, projectId, customerId, subscribedAt: occurredAt };
}
