import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { FindPrices } from '@billing/contracts/rpc/calls';
import type { Dependencies } from '../dependencies.ts';
import { PriceCopy, ProductCopy } from './catalog-copies.entity.ts';
import { savePriceCopies, saveProductCopies } from './save-copies.ts';

/** A price and how it is sold. */
export interface SoldPrice {
  /** A copy has no interval. */
  readonly price: Pick<PriceState, 'id' | 'isActive' | 'type' | 'productId' | 'metered' | 'processorPriceId'> &
    Pick<PriceCopy, 'currency' | 'currencyOptions'> &
    Partial<Pick<PriceState, 'interval' | 'intervalCount'>>;
  readonly product: Pick<ProductState, 'isActive' | 'deletedAt'>;
}

/** How long a caller waits for the catalog, which replies in milliseconds. */
export const CATALOG_TIMEOUT_MS = 1_000;

/**
 * Finds prices and how they are sold, by our ids, without those that the project does not have. The catalog is called, so that
 * what was created or deactivated a moment ago counts; our copies serve while it is down.
 * @throws Problem 503 when it is down and one has no copy
 */
export function findOffers({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async (scope: ProjectScope, priceIds: readonly PriceId[]): Promise<ReadonlyMap<PriceId, SoldPrice>> => {
    const { teamId, projectId } = scope;
    const ids = [...new Set(priceIds)];
    try {
      const offers = await rpc.call(FindPrices, { teamId, projectId, priceIds: ids }, CATALOG_TIMEOUT_MS);
      const prices = offers.map(({ price: state }) => ({ teamId, state }));
      await savePriceCopies(em.fork(), prices);
      const products = new Map(offers.map(({ product: state }) => [state.id, { teamId, state }]));
      await saveProductCopies(em.fork(), [...products.values()]);
      return new Map(offers.map(offer => [offer.price.id, offer]));
    } catch (err) {
      const copies = isUnavailable(err) ? await findCopies(scope, ids) : [];
      if (!isUnavailable(err) || copies.length < ids.length) throw err;
      return new Map(copies.filter(({ price }) => !price.deletedAt).map(copy => [copy.price.id, copy]));
    }
  };

  async function findCopies({ teamId, projectId }: ProjectScope, ids: PriceId[]) {
    const fork = em.fork();
    const prices = await fork.find(PriceCopy, { id: { $in: ids }, teamId, projectId });
    const productIds = prices.map(({ productId }) => productId);
    const products = await fork.find(ProductCopy, { id: { $in: productIds }, teamId, projectId });
    return prices.flatMap(price => {
      const product = products.find(({ id }) => id === price.productId);
      return product ? [{ price, product }] : [];
    });
  }
}

/** Finds one price likewise; null when the project has none. */
export function findOffer(dependencies: Pick<Dependencies, 'em' | 'rpc'>) {
  const find = findOffers(dependencies);
  return async (scope: ProjectScope, priceId: PriceId): Promise<SoldPrice | null> =>
    (await find(scope, [priceId])).get(priceId) ?? null;
}

export const isUnavailable = (err: unknown): boolean => err instanceof Problem && err.kind === 'unavailable';
