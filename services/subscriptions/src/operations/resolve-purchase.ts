import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CustomerId, PriceId, ProjectScope } from '@billing/contracts/ids';
import { notFound, Problem } from '@billing/contracts/problem';
import { FindCustomer, FindPrice } from '@billing/contracts/rpc/calls';
import { requireSellable, requireWithinLimits, type PurchaseLimits } from '#domain/purchase.ts';
import { PriceCopy, ProductCopy } from '#persistence/catalog-copies.entity.ts';
import { saveCustomerCopies, savePriceCopies, saveProductCopies } from '#persistence/copies.ts';
import { findPurchaseHistory } from '#persistence/find-purchase-history.ts';
import { CustomerCopy } from '#persistence/customer-copy.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** The processor's ids of what is sold to whom. */
export interface Purchase {
  readonly processorCustomerId: string;
  readonly processorPriceId: string;
  /** A metered price is sold without a quantity. */
  readonly metered: boolean;
}

interface RequestedPurchase extends PurchaseLimits {
  readonly customerId: CustomerId;
  readonly priceId: PriceId;
  readonly mode: 'subscription' | 'payment';
}

interface Offer {
  readonly price: Pick<PriceState, 'isActive' | 'type' | 'productId' | 'metered' | 'processorPriceId'>;
  readonly product: Pick<ProductState, 'isActive' | 'deletedAt'>;
}

/** How long a caller waits for the owners, which reply in milliseconds. */
const RPC_TIMEOUT_MS = 1_000;

/**
 * Finds the processor's ids and checks that the price is for sale. The owners are called, so that what was created or
 * deactivated a moment ago counts; our copies serve while an owner is down.
 * @throws Problem 404 `customer_not_found`, `price_not_found`; 422 `price_inactive`, `product_inactive`,
 * `price_type_mismatch`,
 * `trial_already_used`; 409 `already_subscribed`; 503 when an owner is down and there is no copy
 */
export function resolvePurchase({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async (scope: ProjectScope, requested: RequestedPurchase): Promise<Purchase> => {
    const { customerId, priceId, mode } = requested;
    const [customer, offer] = await Promise.all([findCustomer(scope, customerId), findOffer(scope, priceId)]);
    if (!customer) throw notFound('customer');
    if (!offer) throw notFound('price');
    requireSellable(offer, mode);
    if (requested.oncePerCustomer || requested.trialOncePerCustomer) {
      const { productId } = offer.price;
      requireWithinLimits(await findPurchaseHistory(em.fork(), scope, { customerId, productId }), requested);
    }
    return {
      processorCustomerId: customer.processorCustomerId,
      processorPriceId: offer.price.processorPriceId,
      metered: offer.price.metered,
    };
  };

  async function findCustomer({ teamId, projectId }: ProjectScope, customerId: CustomerId) {
    try {
      const state = await rpc.call(FindCustomer, { teamId, projectId, customerId }, RPC_TIMEOUT_MS);
      if (state) await saveCustomerCopies(em.fork(), [{ teamId, state }]);
      return state;
    } catch (err) {
      const copy = isUnavailable(err) && (await em.fork().findOne(CustomerCopy, { id: customerId, teamId, projectId }));
      if (!copy) throw err;
      return copy.deletedAt ? null : copy;
    }
  }

  async function findOffer({ teamId, projectId }: ProjectScope, priceId: PriceId): Promise<Offer | null> {
    try {
      const offer = await rpc.call(FindPrice, { teamId, projectId, priceId }, RPC_TIMEOUT_MS);
      if (offer) {
        await savePriceCopies(em.fork(), [{ teamId, state: offer.price }]);
        await saveProductCopies(em.fork(), [{ teamId, state: offer.product }]);
      }
      return offer;
    } catch (err) {
      const copies = isUnavailable(err) && (await findCopies({ teamId, projectId }, priceId));
      if (!copies) throw err;
      return copies.price.deletedAt ? null : copies;
    }
  }

  async function findCopies({ teamId, projectId }: ProjectScope, priceId: PriceId) {
    const fork = em.fork();
    const price = await fork.findOne(PriceCopy, { id: priceId, teamId, projectId });
    const product = price && (await fork.findOne(ProductCopy, { id: price.productId, teamId, projectId }));
    return product && { price, product };
  }
}

const isUnavailable = (err: unknown): boolean => err instanceof Problem && err.kind === 'unavailable';
