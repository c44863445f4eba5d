import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProductId, ProjectScope } from '@billing/contracts/ids';
import { ENDED_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { executeBound } from '@billing/database/bound-statement';
import type { PurchaseHistory } from '#domain/purchase.ts';

/** Statuses of a subscription that the customer does not have: it has ended, or its first payment is missing. */
const NOT_HELD: readonly SubscriptionStatus[] = [...ENDED_STATUSES, 'incomplete'];

/** Returns what a customer has bought of a product so far; the copies of deleted prices count too. */
export async function findPurchaseHistory(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { customerId, productId }: { readonly customerId: CustomerId; readonly productId: ProductId },
): Promise<PurchaseHistory> {
  const [history] = await executeBound<{ isSubscribed: boolean | null; hadTrial: boolean | null }>(
    em,
    `select bool_or(subscription.status <> all($5::text[])) as "isSubscribed",
            bool_or(subscription.trial_end is not null) as "hadTrial"
       from subscriptions subscription
      where subscription.team_id = $1 and subscription.project_id = $2 and subscription.customer_id = $3
        and exists (
          select from jsonb_array_elements(subscription.items) item
            join price_copies price on price.id = item ->> 'priceId'
           where price.team_id = $1 and price.project_id = $2 and price.product_id = $4)`,
    [teamId, projectId, customerId, productId, [...NOT_HELD]],
  );
  return { isSubscribed: history?.isSubscribed ?? false, hadTrial: history?.hadTrial ?? false };
}
