import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { findPage } from '@billing/database/find-page';
import { toLiveRecords } from '@billing/processor/compare-records';
import type { z } from 'zod';
import { Coupon } from '#persistence/coupon.entity.ts';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';
import { PromotionCode } from '#persistence/promotion-code.entity.ts';

type Request = z.output<(typeof ListLiveRecords)['catalog']['request']>;

const ENTITIES = { product: Product, price: Price, coupon: Coupon, promotion_code: PromotionCode };
type LiveRow = Product | Price | Coupon | PromotionCode;

/** Lists a page of a project's records of one type without deleted ones. */
export function listLiveCatalog(em: EntityManager) {
  return async ({ teamId, projectId, type, after, limit }: Request) => {
    const entity = ENTITIES[type === 'price' || type === 'coupon' || type === 'promotion_code' ? type : 'product'];
    const rows = await findPage<LiveRow>(em.fork(), entity, { teamId, projectId }, { after, limit });
    return toLiveRecords(rows, limit, row => (row.deletedAt ? null : row.processorId));
  };
}
