import { FindPricesByKey } from '@billing/contracts/rpc/calls';
import { idsByKey, resolvePriceKeys, type FindPricesByKey as Find } from '@billing/service/price-keys';
import type { Dependencies } from '../dependencies.ts';
import { PriceCopy } from './catalog-copies.entity.ts';
import { CATALOG_TIMEOUT_MS, isUnavailable } from './find-offer.ts';
import { savePriceCopies } from './save-copies.ts';

/**
 * Finds the newest active prices by their keys. The catalog is called, so that a price that has just replaced another one counts;
 * our copies serve while it is down.
 */
export function findPricesByKey({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>): Find {
  return async ({ teamId, projectId }, keys) => {
    try {
      const found = await rpc.call(FindPricesByKey, { teamId, projectId, keys: [...keys] }, CATALOG_TIMEOUT_MS);
      await savePriceCopies(
        em.fork(),
        found.map(({ price: state }) => ({ teamId, state })),
      );
      return idsByKey(found.map(({ price }) => price));
    } catch (err) {
      if (!isUnavailable(err)) throw err;
      const where = { teamId, projectId, key: { $in: [...keys] }, isActive: true, deletedAt: null };
      const copies = await em.fork().find(PriceCopy, where, { orderBy: { createdAt: 'asc nulls first' } });
      const newest = idsByKey(copies);
      // What it might have found is not known.
      if (keys.some(key => !newest.has(key))) throw err;
      return newest;
    }
  };
}

/** Names the prices of a body by ids. */
export const bodyResolver = (dependencies: Pick<Dependencies, 'em' | 'rpc'>) =>
  resolvePriceKeys(findPricesByKey(dependencies));
