import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns whether the customer has a subscription or ever had one. */
export function hasSubscribed({ em }: Pick<Dependencies, 'em'>) {
  return async ({ teamId, projectId }: ProjectScope, customerId: CustomerId): Promise<boolean> => {
    const where = { teamId, projectId, customerId };
    return (await em.fork().findOne(Subscription, where, { fields: ['id'] })) !== null;
  };
}
