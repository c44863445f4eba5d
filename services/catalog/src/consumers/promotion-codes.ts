import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { RpcClient } from '@billing/messaging/rpc';
import { namedCouponIds } from '#operations/create-coupon.ts';
import { namedPromotionCodeIds } from '#operations/create-promotion-code.ts';
import { mirrorCoupon, mirrorPromotionCode } from '#operations/mirror-record.ts';
import { COUPON, PROMOTION_CODE } from '#operations/record-types.ts';
import { followChildren } from './follow-children.ts';
import type { FollowDependencies } from './follow-records.ts';

/** The only customer who can redeem a code; null for all. */
interface Limit {
  readonly customerId: CustomerId | null;
}

/**
 * Follows the processor's promotion codes. New ones are those of the project's coupons, which are added with them; one that
 * only a customer of somebody else can redeem is ignored.
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
      moreOf: ({ customerId }): Limit | undefined => (customerId === null ? { customerId: null } : undefined),
      findMore: async (scope, { customerId }) => {
        const customer = await findCustomer(scope, customerId ?? '');
        return customer ? { customerId: customer } : null;
      },
      mirrorParent: mirrorCoupon,
      mirror: (tx, publish, code, origin, { parent: { id: couponId }, more: { customerId } }) =>
        mirrorPromotionCode(tx, publish, code, { ...origin, couponId, customerId }),
    },
    dependencies,
  );
}
