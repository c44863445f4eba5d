import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page, type Pagination } from '@billing/contracts/pagination';
import { ACTIVE_STATUSES } from '#domain/subscription.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';

interface SubscriptionFilter extends Page {
  /** Only active and trialing ones. */
  readonly activeOnly: boolean;
  readonly customerId?: CustomerId | undefined;
}

/** Lists a page of the project's subscriptions, newest first. */
export function listSubscriptions({ em }: Pick<Dependencies, 'em'>) {
  return async (
    { teamId, projectId }: ProjectScope,
    { activeOnly, customerId, ...page }: SubscriptionFilter,
  ): Promise<{ subscriptions: Subscription[]; pagination: Pagination }> => {
    const [subscriptions, total] = await em.fork().findAndCount(
      Subscription,
      {
        teamId,
        projectId,
        ...(customerId && { customerId }),
        ...(activeOnly && { status: { $in: [...ACTIVE_STATUSES] } }),
      },
      { ...page, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },
    );
    return { subscriptions, pagination: paginate(page, subscriptions.length, total) };
  };
}
