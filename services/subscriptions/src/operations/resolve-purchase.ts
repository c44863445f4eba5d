import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CustomerId, PriceId, ProjectScope } from '@billing/contracts/ids';
import { notFound, Problem } from '@billing/contracts/problem';
import { FindCustomer, FindPrice } from '@billing/contracts/rpc/calls';
import { requireSellable } from '#domain/purchase.ts';
import { keepCustomer, keepPrice, keepProduct } from '#persistence/copies.ts';
import { KnownPrice, KnownProduct } from '#persistence/known-catalog.entity.ts';
import { KnownCustomer } from '#persistence/known-customer.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** What is sold to whom, in the processor's ids. */
export interface Purchase {
  readonly processorCustomerId: string;
  readonly processorPriceId: string;
}

interface Wanted {
  readonly customerId: CustomerId;
  readonly priceId: PriceId;
  readonly mode: 'subscription' | 'payment';
}

interface Offered {
  readonly price: Pick<PriceState, 'isActive' | 'type' | 'processorPriceId'>;
  readonly product: Pick<ProductState, 'isActive' | 'deletedAt'>;
}

/** The owners answer in milliseconds; a caller should not wait longer for one that is away. */
const PATIENCE_MS = 1_000;

/**
 * Turns our ids into the processor's, and refuses what is not sold. The owners are asked, so that what was created or
 * deactivated a moment ago counts already; while one is away our own copy serves.
 * @throws Problem 404 `customer_not_found`, `price_not_found`; 422 `price_inactive`, `product_inactive`,
 * `price_type_mismatch`; 503 when an owner is away and there is no copy
 */
export function resolvePurchase({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async (scope: ProjectScope, { customerId, priceId, mode }: Wanted): Promise<Purchase> => {
    const [customer, offer] = await Promise.all([findCustomer(scope, customerId), findOffer(scope, priceId)]);
    if (!customer) throw notFound('customer');
    if (!offer) throw notFound('price');
    requireSellable(offer, mode);
    return {
      processorCustomerId: customer.processorCustomerId,
      processorPriceId: offer.price.processorPriceId,
    };
  };

  async function findCustomer({ teamId, projectId }: ProjectScope, customerId: CustomerId) {
    try {
      const customer = await rpc.call(FindCustomer, { teamId, projectId, customerId }, PATIENCE_MS);
      if (customer) await keepCustomer(em.fork(), teamId, customer);
      return customer;
    } catch (err) {
      const copy = isAway(err) && (await em.fork().findOne(KnownCustomer, { id: customerId, teamId, projectId }));
      if (!copy) throw err;
      return copy.deletedAt ? null : copy;
    }
  }

  async function findOffer({ teamId, projectId }: ProjectScope, priceId: PriceId): Promise<Offered | null> {
    try {
      const offer = await rpc.call(FindPrice, { teamId, projectId, priceId }, PATIENCE_MS);
      if (offer) {
        await keepPrice(em.fork(), teamId, offer.price);
        await keepProduct(em.fork(), teamId, offer.product);
      }
      return offer;
    } catch (err) {
      const copies = isAway(err) && (await findCopies({ teamId, projectId }, priceId));
      if (!copies) throw err;
      const { price, product } = copies;
      return price.deletedAt
        ? null
        : { price, product: { isActive: product.isActive, deletedAt: product.deletedAt ?? null } };
    }
  }

  async function findCopies({ teamId, projectId }: ProjectScope, priceId: PriceId) {
    const fork = em.fork();
    const price = await fork.findOne(KnownPrice, { id: priceId, teamId, projectId });
    const product = price && (await fork.findOne(KnownProduct, { id: price.productId, teamId, projectId }));
    return product && { price, product };
  }
}

const isAway = (err: unknown): boolean => err instanceof Problem && err.kind === 'unavailable';
