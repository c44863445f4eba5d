import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { findPage } from '@billing/database/find-page';
import { toLiveRecords } from '@billing/processor/compare-records';
import type { z } from 'zod';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';

type Request = z.output<(typeof ListLiveRecords)['catalog']['request']>;

/** Lists a page of a project's products or prices without deleted ones. */
export function listLiveCatalog(em: EntityManager) {
  return async ({ teamId, projectId, type, after, limit }: Request) => {
    const entity = type === 'price' ? Price : Product;
    const rows = await findPage<Price | Product>(em.fork(), entity, { teamId, projectId }, { after, limit });
    return toLiveRecords(rows, limit, row => (row.deletedAt ? null : row.processorId));
  };
}
