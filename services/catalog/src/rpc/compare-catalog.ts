import type { EntityManager } from '@mikro-orm/postgresql';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import { scopedKey } from '@billing/database/project-objects';
import { compareRecords } from '@billing/processor/compare-records';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readPrice, readProduct } from '@billing/processor/snapshots/catalog';
import { readCoupon, readPromotionCode } from '@billing/processor/snapshots/discounts';
import type { MirroredRow, MirroredRows } from '@billing/service/mirrored-rows';
import type { z } from 'zod';
import { toCouponContent, toPromotionCodeContent } from '#domain/discount.ts';
import { toContent as toPriceContent } from '#domain/price.ts';
import { toContent as toProductContent } from '#domain/product.ts';
import { COUPON, PRICE, PRODUCT, PROMOTION_CODE } from '#operations/record-types.ts';
import { findCoupons } from '#persistence/find-coupons.ts';
import { isRedeemable } from '#persistence/promotion-code.entity.ts';

type Request = z.output<(typeof CompareObjects)['catalog']['request']>;

/** Compares records of the processor with those of the project. */
export function compareCatalog({ em, now }: { readonly em: EntityManager; readonly now: () => Date }) {
  return async ({ teamId, projectId, type, objects }: Request): Promise<Comparison[]> => {
    const scope = { teamId, projectId };
    const fork = em.fork();
    const areLive = async <Row extends MirroredRow>(rows: MirroredRows<Row>, processorIds: readonly string[]) => {
      const ids = processorIds.map(id => ({ scope, id }));
      const parents = await rows.findByProcessorIds(fork, ids);
      return ids.map(id => parents.get(scopedKey(id))?.deletedAt === null);
    };

    if (type === 'product')
      return compareRecords(objects, {
        scope,
        parse: readProduct,
        find: ids => PRODUCT.rows.findByProcessorIds(fork, ids),
        differences: ({ name, description, isActive, metadata }, product) =>
          fieldDifferences({ name, description, isActive, metadata }, toProductContent(product)),
      });
    if (type === 'coupon')
      return compareRecords(objects, {
        scope,
        parse: readCoupon,
        find: ids => COUPON.rows.findByProcessorIds(fork, ids),
        differences: ({ name, timesRedeemed, metadata }, coupon) =>
          fieldDifferences({ name, timesRedeemed, metadata }, toCouponContent(coupon)),
      });
    if (type === 'promotion_code') {
      let coupons: Awaited<ReturnType<typeof findCoupons>> = new Map();
      return compareRecords(objects, {
        scope,
        parse: readPromotionCode,
        find: async ids => {
          const codes = await PROMOTION_CODE.rows.findByProcessorIds(fork, ids);
          coupons = await findCoupons(fork, scope, codes.values());
          return codes;
        },
        findParents: codes =>
          areLive(
            COUPON.rows,
            codes.map(({ couponId }) => couponId ?? ''),
          ),
        differences: (row, code) => {
          const { timesRedeemed, metadata } = toPromotionCodeContent(code);
          const isActive = isRedeemable(row, coupons.get(row.couponId), now());
          const ours = { isActive, timesRedeemed: row.timesRedeemed, metadata: row.metadata };
          return fieldDifferences(ours, { isActive: code.isActive, timesRedeemed, metadata });
        },
      });
    }
    return compareRecords(objects, {
      scope,
      parse: readPrice,
      find: ids => PRICE.rows.findByProcessorIds(fork, ids),
      findParents: prices =>
        areLive(
          PRODUCT.rows,
          prices.map(({ productId }) => productId),
        ),
      differences: ({ isActive, metadata }, price) => fieldDifferences({ isActive, metadata }, toPriceContent(price)),
    });
  };
}
