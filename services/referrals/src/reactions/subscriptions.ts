import type { EntityManager } from '@mikro-orm/postgresql';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import { Inbox, type Heard } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import { convertReferral, noteSubscribers } from '#operations/convert-referral.ts';
import type { Subscriber } from '#persistence/customers.ts';

/**
 * A customer's subscription converts the referral that brought the customer. Most customers were not referred: those
 * that come at once are noted together.
 */
export function reactToSubscriptions(em: EntityManager, clock: () => Date, logger: Logger): Inbox {
  return new Inbox(em, 'referrals-subscriptions', logger)
    .on(SubscriptionCreated, (tx, subscription, event) =>
      convertReferral(tx, subscriberOf(subscription, event), clock()),
    )
    .together(async (tx, heard) => {
      const subscribers = heard.flatMap(readSubscriber);
      const toConvert = await noteSubscribers(tx, subscribers);
      return subscribers.filter(one => !toConvert.has(one)).map(one => one.heard);
    });
}

/** None for what cannot be read; its own reaction fails at it. */
function readSubscriber(heard: Heard): (Subscriber & { readonly heard: Heard })[] {
  const subscription = SubscriptionCreated.data.safeParse(heard.event.data);
  return subscription.success ? [{ ...subscriberOf(subscription.data, heard.event), heard }] : [];
}

function subscriberOf(
  { projectId, customerId }: { readonly projectId: ProjectId; readonly customerId: CustomerId },
  { teamId, occurredAt }: Envelope,
): Subscriber {
  // Facts carry the id of the team whose service recorded them.
  return { teamId: teamId as TeamId, projectId, customerId, subscribedAt: occurredAt };
}
