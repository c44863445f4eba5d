import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { ACTIVE_STATUSES } from '#domain/subscription.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** The properties that lists show. */
const LISTED = [
  'id',
  'customerId',
  'processorSubscriptionId',
  'status',
  'priceId',
  'quantity',
  'cancelAtPeriodEnd',
  'currentPeriodStart',
  'currentPeriodEnd',
  'metadata',
  'projectId',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Subscription)[];
export type ListedSubscription = Pick<Subscription, (typeof LISTED)[number]>;

interface SubscriptionFilter extends Page {
  /** Only active and trialing ones. */
  readonly activeOnly: boolean;
  readonly customerId?: CustomerId | undefined;
}

/** Lists a page of the project's subscriptions, newest first. */
export function listSubscriptions({ em }: Pick<Dependencies, 'em'>) {
  return async (
    scope: ProjectScope,
    { activeOnly, customerId, ...page }: SubscriptionFilter,
  ): Promise<{ subscriptions: ListedSubscription[]; pagination: Pagination }> => {
    const filter = { ...(customerId && { customerId: [customerId] }), ...(activeOnly && { status: ACTIVE_STATUSES }) };
    const { rows, pagination } = await subscriptionRows.list(em.fork(), scope, { filter, only: LISTED, page });
    return { subscriptions: rows, pagination };
  };
}
