import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { findPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { isMirrored } from '@billing/service/mirrored-rows';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';

type Request = z.output<(typeof ListLiveRecords)['catalog']['request']>;

/** Lists a page of a project's products or prices without deleted ones. */
export function listLiveCatalog(em: EntityManager) {
  return async ({ teamId, projectId, type, after, limit, processorIds }: Request) => {
    const page = { after, limit };
    if (type === 'price') {
      const prices = processorIds
        ? await em.fork().find(Price, { teamId, projectId, processorId: { $in: processorIds } })
        : await findPage(em.fork(), Price, { teamId, projectId }, page);
      const live = prices.filter(isMirrored).filter(({ deletedAt }) => deletedAt === null);
      const records = live.map(({ id, processorId }) => ({ id, processorId }));
      return { records, next: prices.length < limit ? null : (prices.at(-1)?.id ?? null) };
    }
    const products = processorIds
      ? await em.fork().find(Product, { teamId, projectId, processorId: { $in: processorIds } })
      : await findPage(em.fork(), Product, { teamId, projectId }, page);
    const live = products.filter(isMirrored).filter(({ deletedAt }) => deletedAt === null);
    const records = live.map(({ id, processorId }) => ({ id, processorId }));
    return { records, next: products.length < limit ? null : (products.at(-1)?.id ?? null) };
  };
}
