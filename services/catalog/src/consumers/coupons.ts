import type { Consumer } from '@billing/messaging/consumer/consumer';
import { missingOrThrow } from '@billing/processor/errors';
import { namedCouponIds } from '#operations/create-coupon.ts';
import { mirrorCoupon } from '#operations/mirror-record.ts';
import { COUPON } from '#operations/record-types.ts';
import { followRecords, type FollowDependencies } from './follow-records.ts';

/**
 * Follows the processor's coupons. New ones are those that name the project or were read by a sync. Events do not say to
 * which products a coupon is limited, so that new ones are read.
 */
export function couponEvents(dependencies: FollowDependencies): Consumer {
  const { logger, now, processors } = dependencies;
  return followRecords(COUPON, dependencies, {
    namedIds: namedCouponIds,
    findForNew: async ({ teamId }, { id }) => {
      const processor = await processors.of(teamId);
      return processor.findCoupon(id).catch(missingOrThrow);
    },
    begin: async (tx, publish) => async event => {
      const { snapshot, source, fromSync, found } = event;
      if (!fromSync && snapshot.metadata['projectId'] !== event.scope.projectId) {
        logger.info({ processorCouponId: snapshot.id }, 'coupon of another project ignored');
        return null;
      }
      if (found === undefined) return 'unprepared';
      const { productIds } = found === 'missing' ? snapshot : found;
      const createdAt = fromSync ? snapshot.createdAt : now();
      return mirrorCoupon(tx, publish, { ...snapshot, productIds }, { ...event, eventAt: source.at, createdAt });
    },
  });
}
