import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { findPage } from '@billing/database/find-page';
import { toLiveRecords } from '@billing/processor/compare-records';
import type { z } from 'zod';
import { Coupon } from '#persistence/coupon.entity.ts';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';

type Request = z.output<(typeof ListLiveRecords)['catalog']['request']>;

type LiveRow = Product | Price | Coupon;

/** Lists a page of a project's records of one type without deleted ones. */
export function listLiveCatalog(em: EntityManager) {
  return async ({ teamId, projectId, type, after, limit }: Request) => {
    // The processor deletes no promotion code.
    if (type === 'promotion_code') return { records: [], next: null };
    const entity = type === 'price' ? Price : type === 'coupon' ? Coupon : Product;
    const rows = await findPage<LiveRow>(em.fork(), entity, { teamId, projectId }, { after, limit });
    return toLiveRecords(rows, limit, row => (row.deletedAt ? null : row.processorId));
  };
}
