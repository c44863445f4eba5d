import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { Subscription } from '#persistence/subscription.entity.ts';

/** Which subscription is meant; with a customer, another customer's is as absent as another project's. */
export interface SubscriptionKey {
  readonly id: SubscriptionId;
  readonly customerId?: CustomerId;
}

/** @throws Problem 404 `subscription_not_found` */
export async function findSubscription(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  key: SubscriptionKey,
): Promise<Subscription> {
  return em.findOneOrFail(Subscription, { teamId, projectId, ...key }, { failHandler: () => notFound('subscription') });
}

/** The subscription that mirrors the processor's, if it is known in this project. */
export async function findByProcessorId(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorSubscriptionId: string,
): Promise<Subscription | null> {
  return em.findOne(Subscription, { teamId, projectId, processorSubscriptionId });
}
