import type { CustomerId, PriceId, ProductId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { CheckoutLine } from '@billing/processor/selling';
import { findBilledCustomer } from '#copies/find-billed-customer';
import { findCurrencies } from '#copies/find-currencies';
import { findOffers } from '#copies/find-offer';
import { resolvePromotionCode } from '#copies/resolve-promotion-code';
import type { Dependencies } from '../dependencies.ts';
import { findCurrenciesOf, findPurchaseHistory } from './purchase-history.ts';
import {
  requireSameCurrency,
  requireSoldTogether,
  requireWithinLimits,
  type PurchaseLimits,
  type SoldItem,
} from './purchase.rules.ts';

/** What is sold to whom, by the processor's ids. */
export interface Purchase {
  readonly processorCustomerId: string;
  readonly currency: string;
  /** A metered price is sold without a quantity. */
  readonly recurring: readonly CheckoutLine[];
  readonly oneTime: readonly CheckoutLine[];
  /** Null without a promotion code. */
  readonly processorPromotionCodeId: string | null;
  /** Of the recurring prices, or of all in a payment. */
  readonly productIds: readonly ProductId[];
}

export interface RequestedPurchase extends PurchaseLimits {
  readonly customerId: CustomerId;
  readonly priceId?: PriceId | undefined;
  readonly quantity?: number | undefined;
  readonly items?: readonly RequestedItem[] | undefined;
  readonly currency?: string | undefined;
  readonly mode: 'subscription' | 'payment';
  readonly promotionCode?: string | undefined;
}

interface RequestedItem {
  readonly priceId: PriceId;
  readonly quantity: number;
}

/** Returns what a request sells, however it names it. */
export const itemsOf = ({ priceId, quantity = 1, items }: RequestedPurchase): readonly RequestedItem[] =>
  items ?? (priceId === undefined ? [] : [{ priceId, quantity }]);

/** Returns what the audit log says of what a request sells. */
export const auditedItems = ({ priceId, quantity = 1, items }: RequestedPurchase) =>
  items ? { priceIds: items.map(it => it.priceId) } : { priceId, quantity };

/**
 * Finds the processor's ids and checks that the prices are for sale. The owners are called, so that what was created or
 * deactivated a moment ago counts; our copies serve while an owner is down.
 * @throws Problem 404 `customer_not_found`, `price_not_found`; what `requireSoldTogether`, `requireSameCurrency`,
 * `requireWithinLimits` and `resolvePromotionCode` throw; 409 `processor_not_connected`; 503 when an owner is down and there is
 * no copy
 */
export function resolvePurchase(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const { em } = dependencies;
  const [offersOf, currenciesOf] = [findOffers(dependencies), findCurrencies(dependencies)];
  const [customerOf, resolveCode] = [findBilledCustomer(dependencies), resolvePromotionCode(dependencies)];

  return async (scope: ProjectScope, requested: RequestedPurchase): Promise<Purchase> => {
    const { customerId, mode } = requested;
    const items = itemsOf(requested);
    const priceIds = items.map(({ priceId }) => priceId);
    const [customer, offers] = await Promise.all([customerOf(scope, customerId), offersOf(scope, priceIds)]);
    const sold: (SoldItem & { readonly line: CheckoutLine; readonly productId: ProductId })[] = [];
    let { currency } = requested;
    for (const { priceId, quantity } of items) {
      const offer = offers.get(priceId);
      if (!offer) throw notFound('price');
      const { processorPriceId, metered, productId } = offer.price;
      const currencies = await currenciesOf(scope, offer.price, currency);
      currency ??= currencies[0];
      const line = { priceId: processorPriceId, ...(!metered && { quantity }) };
      sold.push({ offer, currencies, line, productId });
    }
    if (currency === undefined) throw notFound('price');
    requireSoldTogether(sold, mode, currency);
    const [recurring, oneTime] = [
      sold.filter(({ offer }) => offer.price.type === 'recurring'),
      sold.filter(({ offer }) => offer.price.type === 'one_time'),
    ];
    const productIds = (mode === 'subscription' ? recurring : oneTime).map(({ productId }) => productId);
    if (mode === 'subscription') requireSameCurrency(await findCurrenciesOf(em.fork(), scope, customerId), currency);
    if (requested.oncePerCustomer || requested.trialOncePerCustomer)
      requireWithinLimits(await findPurchaseHistory(em.fork(), scope, { customerId, productIds }), requested);
    const { processorCustomerId } = customer;
    const { promotionCode } = requested;
    const code =
      promotionCode && (await resolveCode(scope, { promotionCode, processorCustomerId, currency, priceIds }));
    return {
      processorCustomerId,
      currency,
      recurring: recurring.map(({ line }) => line),
      oneTime: oneTime.map(({ line }) => line),
      processorPromotionCodeId: code ? code.processorPromotionCodeId : null,
      productIds,
    };
  };
}
