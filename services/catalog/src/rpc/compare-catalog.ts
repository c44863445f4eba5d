import type { EntityManager } from '@mikro-orm/postgresql';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import { scopedKey } from '@billing/database/project-objects';
import { compareRecords } from '@billing/processor/compare-records';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readPrice, readProduct } from '@billing/processor/snapshots/catalog';
import type { z } from 'zod';
import { toContent as toPriceContent } from '#domain/price.ts';
import { toContent as toProductContent } from '#domain/product.ts';
import { PRICE, PRODUCT } from '#operations/record-types.ts';

type Request = z.output<(typeof CompareObjects)['catalog']['request']>;

/** Compares products or prices of the processor with the project's records. */
export function compareCatalog(em: EntityManager) {
  return async ({ teamId, projectId, type, objects }: Request): Promise<Comparison[]> => {
    const scope = { teamId, projectId };
    const fork = em.fork();
    if (type === 'product')
      return compareRecords(objects, {
        scope,
        parse: readProduct,
        find: ids => PRODUCT.rows.findByProcessorIds(fork, ids),
        differences: ({ name, description, isActive, metadata }, product) =>
          fieldDifferences({ name, description, isActive, metadata }, toProductContent(product)),
      });
    return compareRecords(objects, {
      scope,
      parse: readPrice,
      find: ids => PRICE.rows.findByProcessorIds(fork, ids),
      findParents: async prices => {
        const ids = prices.map(({ productId: id }) => ({ scope, id }));
        const products = await PRODUCT.rows.findByProcessorIds(fork, ids);
        return ids.map(id => products.get(scopedKey(id))?.deletedAt === null);
      },
      differences: ({ isActive, metadata }, price) => fieldDifferences({ isActive, metadata }, toPriceContent(price)),
    });
  };
}
