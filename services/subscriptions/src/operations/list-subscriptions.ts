import type { CustomerId, PriceId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import type { CreatedRange, Page, Pagination } from '@billing/contracts/pagination';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { ACTIVE_STATUSES } from '#domain/subscription.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import { SHOWN, type ShownSubscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';

interface SubscriptionFilter extends Page, CreatedRange {
  /** Only active and trialing ones; true unless a status, ids or a processor's id are given. */
  readonly activeOnly?: boolean | undefined;
  readonly status?: SubscriptionStatus | undefined;
  readonly ids?: readonly SubscriptionId[] | undefined;
  readonly customerId?: CustomerId | undefined;
  /** Of the first item. */
  readonly priceId?: PriceId | undefined;
  readonly processorId?: string | undefined;
}

/** Lists a page of the project's subscriptions. */
export function listSubscriptions({ em }: Pick<Dependencies, 'em'>) {
  return async (
    scope: ProjectScope,
    {
      activeOnly,
      status,
      ids,
      customerId,
      priceId,
      processorId,
      createdAfter,
      createdBefore,
      ...page
    }: SubscriptionFilter,
  ): Promise<{ subscriptions: ShownSubscription[]; pagination: Pagination }> => {
    const isActive = activeOnly ?? !(status || ids || processorId);
    const statuses: readonly SubscriptionStatus[] = isActive ? ACTIVE_STATUSES : SUBSCRIPTION_STATUSES;
    const filter = {
      id: ids,
      customerId: customerId && [customerId],
      priceId: priceId && [priceId],
      status: statuses.filter(it => !status || it === status),
    };
    const { rows, pagination } = await subscriptionRows.list(em.fork(), scope, {
      filter,
      idAtProcessor: processorId,
      created: { createdAfter, createdBefore },
      only: SHOWN,
      page,
    });
    return { subscriptions: rows, pagination };
  };
}
