import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, PriceId, ProductId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import type { CreatedRange, Page, Pagination } from '@billing/contracts/pagination';
import { hasEnded, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { PriceCopy } from '#copies/catalog-copies.entity';
import { searchRecords } from '#rows/search-records';
import type { Dependencies } from '../dependencies.ts';
import { ACTIVE_STATUSES } from './subscription.rules.ts';
import { subscriptionRows } from './subscription-rows.ts';
import { SHOWN, type ShownSubscription } from './subscription.entity.ts';

interface SubscriptionFilter extends Page, CreatedRange {
  /** Only active and trialing ones; true unless a status, ids, a processor's id or `taxStopped` are given. */
  readonly activeOnly?: boolean | undefined;
  readonly status?: SubscriptionStatus | undefined;
  readonly ids?: readonly SubscriptionId[] | undefined;
  readonly customerId?: CustomerId | undefined;
  /** Of the first item. */
  readonly priceId?: PriceId | undefined;
  /** Of that price. */
  readonly productId?: ProductId | undefined;
  /** For customers, or the price of a unit. */
  readonly search?: string | undefined;
  readonly processorId?: string | undefined;
  /** Only living ones whose tax the processor stopped computing. */
  readonly taxStopped?: 'true' | undefined;
}

/** Lists a page of the project's subscriptions. */
export function listSubscriptions({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  const find = searchRecords({ rpc }, 'amount');
  return async (
    scope: ProjectScope,
    {
      activeOnly,
      status,
      ids,
      customerId,
      priceId,
      productId,
      search,
      processorId,
      taxStopped,
      createdAfter,
      createdBefore,
      ...page
    }: SubscriptionFilter,
  ): Promise<{ subscriptions: ShownSubscription[]; pagination: Pagination }> => {
    const isActive = activeOnly ?? !(status || ids || processorId || taxStopped);
    const all = taxStopped ? SUBSCRIPTION_STATUSES.filter(it => !hasEnded(it)) : SUBSCRIPTION_STATUSES;
    const statuses: readonly SubscriptionStatus[] = isActive ? ACTIVE_STATUSES : all;
    const filter = {
      id: ids,
      customerId: customerId && [customerId],
      priceId: await findPriceIds(em.fork(), scope, { priceId, productId }),
      taxStoppedReason: taxStopped && ['requires_location_inputs'],
      status: statuses.filter(it => !status || it === status),
    };
    const { rows, pagination } = await subscriptionRows.list(em.fork(), scope, {
      filter,
      anyOf: await find(scope, search),
      idAtProcessor: processorId,
      created: { createdAfter, createdBefore },
      only: SHOWN,
      page,
    });
    return { subscriptions: rows, pagination };
  };
}

/** Returns the prices that a filter selects; undefined without one. */
async function findPriceIds(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { priceId, productId }: Pick<SubscriptionFilter, 'priceId' | 'productId'>,
): Promise<PriceId[] | undefined> {
  if (!productId) return priceId && [priceId];
  const where = { teamId, projectId, productId, ...(priceId && { id: priceId }) };
  return (await em.find(PriceCopy, where, { fields: ['id'] })).map(({ id }) => id);
}
