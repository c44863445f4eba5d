import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProductId, ProjectScope } from '@billing/contracts/ids';
import { ENDED_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { executeBound } from '@billing/database/bound-statement';
import type { PurchaseHistory } from './purchase.rules.ts';

/** Statuses of a subscription that the customer does not have: it has ended, or its first payment is missing. */
const NOT_HELD: readonly SubscriptionStatus[] = [...ENDED_STATUSES, 'incomplete'];

/** Returns what a customer has bought of some products so far; the copies of deleted prices count too. */
export async function findPurchaseHistory(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { customerId, productIds }: { readonly customerId: CustomerId; readonly productIds: readonly ProductId[] },
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
           where price.team_id = $1 and price.project_id = $2 and price.product_id = any($4::text[]))`,
    [teamId, projectId, customerId, [...productIds], [...NOT_HELD]],
  );
  return { isSubscribed: history?.isSubscribed ?? false, hadTrial: history?.hadTrial ?? false };
}

/** Returns the currencies of a customer's subscriptions that have not ended. */
export async function findCurrenciesOf(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
): Promise<readonly string[]> {
  const rows = await executeBound<{ currency: string }>(
    em,
    `select distinct item ->> 'currency' as currency
       from subscriptions subscription cross join lateral jsonb_array_elements(subscription.items) item
      where subscription.team_id = $1 and subscription.project_id = $2 and subscription.customer_id = $3
        and subscription.status <> all($4::text[])`,
    [teamId, projectId, customerId, [...ENDED_STATUSES]],
  );
  return rows.map(({ currency }) => currency);
}

/** The processor's ids of a customer's pages that sell one of some products, and are open as far as it is known. */
export async function findOpenPages(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { customerId, productIds }: { readonly customerId: CustomerId; readonly productIds: readonly ProductId[] },
): Promise<readonly string[]> {
  const rows = await executeBound<{ id: string }>(
    em,
    `select session.processor_session_id as id
       from checkout_sessions session
      where session.team_id = $1 and session.project_id = $2 and session.customer_id = $3 and session.state = 'open'
        and session.processor_session_id is not null
        and exists (
          select from price_copies price
           where (price.id = session.price_id or price.id = any(session.price_ids)) and price.team_id = $1 and price.project_id = $2
             and price.product_id = any($4::text[]))`,
    [teamId, projectId, customerId, [...productIds]],
  );
  return rows.map(({ id }) => id);
}
