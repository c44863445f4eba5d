import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { FindPrice } from '@billing/contracts/rpc/calls';
import type { Dependencies } from '../dependencies.ts';
import { PriceCopy, ProductCopy } from './catalog-copies.entity.ts';
import { savePriceCopies, saveProductCopies } from './save-copies.ts';

/** A price and how it is sold. */
interface SoldPrice {
  /** A copy has no currency. */
  readonly price: Pick<PriceState, 'isActive' | 'type' | 'productId' | 'metered' | 'processorPriceId'> &
    Partial<Pick<PriceState, 'currency'>>;
  readonly product: Pick<ProductState, 'isActive' | 'deletedAt'>;
}

/** How long a caller waits for the catalog, which replies in milliseconds. */
const RPC_TIMEOUT_MS = 1_000;

/**
 * Finds a price and how it is sold; null when the project has none. The catalog is called, so that what was created or
 * deactivated a moment ago counts; our copies serve while it is down.
 * @throws Problem 503 when it is down and there is no copy
 */
export function findOffer({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async ({ teamId, projectId }: ProjectScope, priceId: PriceId): Promise<SoldPrice | null> => {
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
  };

  async function findCopies({ teamId, projectId }: ProjectScope, priceId: PriceId) {
    const fork = em.fork();
    const price = await fork.findOne(PriceCopy, { id: priceId, teamId, projectId });
    const product = price && (await fork.findOne(ProductCopy, { id: price.productId, teamId, projectId }));
    return product && { price, product };
  }
}

export const isUnavailable = (err: unknown): boolean => err instanceof Problem && err.kind === 'unavailable';
