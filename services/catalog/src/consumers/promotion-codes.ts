import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { RpcClient } from '@billing/messaging/rpc';
import { nullIfMissing } from '@billing/processor/errors';
import type { PromotionCodeSnapshot } from '@billing/processor/snapshots/discounts';
import { namedCouponIds } from '#operations/create-coupon.ts';
import { namedPromotionCodeIds } from '#operations/create-promotion-code.ts';
import { mirrorCoupon, mirrorPromotionCode } from '#operations/mirror-record.ts';
import { COUPON, PROMOTION_CODE } from '#operations/record-types.ts';
import { followChildren } from './follow-children.ts';
import type { FollowDependencies } from './follow-records.ts';

interface Limits extends Pick<PromotionCodeSnapshot, 'currencyOptions'> {
  /** The only customer who can redeem a code; null for all. */
  readonly customerId: CustomerId | null;
}

/**
 * Follows the processor's promotion codes. New ones are those of the project's coupons, which are added with them; one that
 * only a customer of somebody else can redeem is ignored. Events do not say the minimum amounts in other currencies, so that
 * new codes with one are read.
 */
export function promotionCodeEvents({ rpc, ...dependencies }: FollowDependencies & { rpc: RpcClient }): Consumer {
  const findCustomer = async ({ teamId, projectId }: ProjectScope, processorCustomerId: string) => {
    const customers = await rpc.call(FindCustomersByProcessorId, { teamId, processorCustomerId });
    return customers.find(customer => customer.projectId === projectId)?.id;
  };

  return followChildren(
    {
      type: PROMOTION_CODE,
      parentType: COUPON,
      namedIds: namedPromotionCodeIds,
      namedParentIds: namedCouponIds,
      parentIdOf: ({ couponId }) => couponId ?? '',
      moreOf: ({ customerId, minimumAmount, currencyOptions }): Limits | undefined =>
        customerId === null && minimumAmount === null ? { customerId, currencyOptions } : undefined,
      findMore: async (scope, code) => {
        const customerId = code.customerId === null ? null : await findCustomer(scope, code.customerId);
        if (customerId === undefined) return null;
        const processor = await dependencies.processors.of(scope.teamId);
        const found = await processor.findPromotionCode(code.id).catch(nullIfMissing);
        return { customerId, currencyOptions: found?.currencyOptions ?? code.currencyOptions };
      },
      mirrorParent: mirrorCoupon,
      mirror: (tx, publish, code, origin, { parent: { id: couponId }, more: { customerId, currencyOptions } }) =>
        mirrorPromotionCode(tx, publish, { ...code, currencyOptions }, { ...origin, couponId, customerId }),
    },
    dependencies,
  );
}
