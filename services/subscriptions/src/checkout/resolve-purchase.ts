import type { CustomerId, PriceId, ProjectScope, ProductId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ENDED_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { executeBound } from '@billing/database/bound-statement';
import { findBilledCustomer } from '#copies/find-billed-customer';
import { findOffer } from '#copies/find-offer';
import { resolvePromotionCode } from '#copies/resolve-promotion-code';
import type { Dependencies } from '../dependencies.ts';
import { requireSellable, requireWithinLimits, type PurchaseLimits, type PurchaseHistory } from './purchase.rules.ts';

/** The processor's ids of what is sold to whom. */
export interface Purchase {
  readonly processorCustomerId: string;
  readonly processorPriceId: string;
  /** A metered price is sold without a quantity. */
  readonly metered: boolean;
  /** Null without a promotion code. */
  readonly processorPromotionCodeId: string | null;
}

interface RequestedPurchase extends PurchaseLimits {
  readonly customerId: CustomerId;
  readonly priceId: PriceId;
  readonly mode: 'subscription' | 'payment';
  readonly promotionCode?: string | undefined;
}

/**
 * Finds the processor's ids and checks that the price is for sale. The owners are called, so that what was created or
 * deactivated a moment ago counts; our copies serve while an owner is down.
 * @throws Problem 404 `customer_not_found`, `price_not_found`; 422 `price_inactive`, `product_inactive`,
 * `price_type_mismatch`,
 * `trial_already_used`; what `resolvePromotionCode` throws; 409 `already_subscribed`; 503 when an owner is down and there is no copy
 */
export function resolvePurchase({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  const [offerOf, resolveCode] = [findOffer({ em, rpc }), resolvePromotionCode({ em, rpc })];
  const customerOf = findBilledCustomer({ em, rpc });
  return async (scope: ProjectScope, requested: RequestedPurchase): Promise<Purchase> => {
    const { customerId, priceId, mode } = requested;
    const [customer, offer] = await Promise.all([customerOf(scope, customerId), offerOf(scope, priceId)]);
    if (!offer) throw notFound('price');
    requireSellable(offer, mode);
    if (requested.oncePerCustomer || requested.trialOncePerCustomer) {
      const { productId } = offer.price;
      requireWithinLimits(await findPurchaseHistory(em.fork(), scope, { customerId, productId }), requested);
    }
    const { processorCustomerId } = customer;
    const { processorPriceId, metered, currency = '' } = offer.price;
    const { promotionCode } = requested;
    const redemption = promotionCode && { promotionCode, processorCustomerId, currency, priceIds: [priceId] };
    const code = redemption ? await resolveCode(scope, redemption) : null;
    const processorPromotionCodeId = code?.processorPromotionCodeId ?? null;
    return { processorCustomerId, processorPriceId, metered, processorPromotionCodeId };
  };
}

/** Statuses of a subscription that the customer does not have: it has ended, or its first payment is missing. */
const NOT_HELD: readonly SubscriptionStatus[] = [...ENDED_STATUSES, 'incomplete'];

/** Returns what a customer has bought of a product so far; the copies of deleted prices count too. */
async function findPurchaseHistory(
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
