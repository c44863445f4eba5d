import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { Subscription } from '#persistence/subscription.entity.ts';

/** Whether the customer has a subscription or ever had one, whatever became of it. */
export async function hasSubscribed(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
): Promise<boolean> {
  return (await em.findOne(Subscription, { teamId, projectId, customerId }, { fields: ['id'] })) !== null;
}
