import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { Subscription } from '#persistence/subscription.entity.ts';

/** Which subscription is meant. With a customer, another customer's subscription is not found. */
export interface SubscriptionKey {
  readonly id: SubscriptionId;
  readonly customerId?: CustomerId;
}

/**
 * Finds a subscription of the project.
 * @throws Problem 404 `subscription_not_found`
 */
export async function findSubscription(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  key: SubscriptionKey,
): Promise<Subscription> {
  return em.findOneOrFail(Subscription, { teamId, projectId, ...key }, { failHandler: () => notFound('subscription') });
}
