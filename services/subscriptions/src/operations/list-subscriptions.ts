import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page, type Pagination } from '@billing/contracts/pagination';
import { ACTIVE_STATUSES } from '#domain/subscription.ts';
import { Subscription } from '#persistence/subscription.entity.ts';

interface Wanted extends Page {
  /** Only active and trialing ones. */
  readonly activeOnly: boolean;
  readonly customerId?: CustomerId | undefined;
}

/** A page of the project's subscriptions, newest first. */
export async function listSubscriptions(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { activeOnly, customerId, ...page }: Wanted,
): Promise<{ subscriptions: Subscription[]; pagination: Pagination }> {
  const [subscriptions, total] = await em.findAndCount(
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
}
