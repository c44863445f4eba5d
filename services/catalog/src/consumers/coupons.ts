import type { Consumer } from '@billing/messaging/consumer/consumer';
import { unavailable } from '@billing/contracts/problem';
import { scopedKey } from '@billing/database/project-objects';
import { missingOrThrow } from '@billing/processor/errors';
import { namedCouponIds } from '#operations/create-coupon.ts';
import { namedProject } from '@billing/processor/metadata';
import { mirrorCoupon } from '#operations/mirror-record.ts';
import { COUPON, PRODUCT } from '#operations/record-types.ts';
import { followRecords, type FollowDependencies } from './follow-records.ts';

/**
 * Follows the processor's coupons. New ones are those that name the project or were read by a sync. Events say neither to
 * which products a coupon is limited nor what it takes off in other currencies, so that new ones are read.
 */
export function couponEvents(dependencies: FollowDependencies): Consumer {
  const { em, logger, processors } = dependencies;
  return followRecords(COUPON, dependencies, {
    namedIds: namedCouponIds,
    findForNew: async (scope, { id, createdAt }) => {
      const processor = await processors.of(scope.teamId);
      const coupon = await processor.findCoupon(id).catch(missingOrThrow);
      // Another coupon may have the id by now.
      if (coupon === 'missing' || coupon.createdAt.getTime() !== createdAt.getTime()) return 'missing';
      if (coupon.productIds === null) return coupon;
      const limits = coupon.productIds.map(productId => ({ scope, id: productId }));
      const known = await PRODUCT.rows.findByProcessorIds(em.fork(), limits);
      for (const limit of limits.filter(it => !known.has(scopedKey(it)))) {
        const product = await processor.findProduct(limit.id).catch(missingOrThrow);
        if (product !== 'missing' && namedProject(product.metadata) === scope.projectId)
          throw unavailable('A product of the coupon is being recorded.');
      }
      return coupon;
    },
    begin: async (tx, publish) => async event => {
      const { snapshot, scope, fromSync, found } = event;
      if (!fromSync && snapshot.metadata['projectId'] !== scope.projectId) {
        logger.info({ processorCouponId: snapshot.id }, 'coupon of another project ignored');
        return null;
      }
      if (found === undefined) return 'unprepared';
      const { productIds, currencyOptions } = found === 'missing' ? snapshot : found;
      return mirrorCoupon(tx, publish, { ...snapshot, productIds, currencyOptions }, event);
    },
  });
}
