import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import type { CouponState } from '@billing/contracts/events/discounts';
import { notFound, unprocessable } from '@billing/contracts/problem';
import type { RedemptionRefusal } from '@billing/contracts/resources/promotion-code';
import { FindPromotionCode } from '@billing/contracts/rpc/calls';
import { isRefusedPromotionCode } from '@billing/processor/errors';
import type { DiscountSnapshot } from '@billing/processor/snapshots/discounts';
import type { Dependencies } from '../dependencies.ts';
import { PriceCopy } from './catalog-copies.entity.ts';

/** A promotion code that someone wants to redeem, and what for. */
interface Redemption {
  /** Its text in any case, or our id. */
  readonly promotionCode: string;
  readonly processorCustomerId: string;
  readonly currency: string;
  /** Of what is bought; the catalog does not have those that are null. */
  readonly priceIds: readonly (PriceId | null)[];
  /** What was redeemed for it before: it stays, whatever became of its code. */
  readonly discounts?: readonly DiscountSnapshot[];
}

interface RedeemableCode {
  readonly processorPromotionCodeId: string;
  readonly coupon: CouponState;
  /** The discount that it was redeemed for before. */
  readonly redeemed: DiscountSnapshot | undefined;
}

/** How long the catalog has to respond, which reads the processor. */
const RPC_TIMEOUT_MS = 10_000;

const REFUSALS: Readonly<Record<RedemptionRefusal, string>> = {
  promotion_code_inactive: 'The promotion code is not active.',
  promotion_code_expired: 'The promotion code has expired.',
  promotion_code_exhausted: 'The promotion code was redeemed as often as it can be.',
  promotion_code_not_applicable: 'The promotion code cannot be redeemed for this purchase.',
};

/**
 * Finds a promotion code and checks that it can be redeemed, as far as the processor tells before it is.
 * @throws Problem 404 `promotion_code_not_found`; 422 `promotion_code_inactive`, `promotion_code_expired`,
 * `promotion_code_exhausted`, `promotion_code_not_applicable`
 */
export function resolvePromotionCode({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async (
    { teamId, projectId }: ProjectScope,
    { priceIds, discounts = [], ...redemption }: Redemption,
  ): Promise<RedeemableCode> => {
    const ids = priceIds.filter(id => id !== null);
    const copies = await em.fork().find(PriceCopy, { teamId, projectId, id: { $in: ids } });
    const productIds = copies.map(({ productId }) => productId);
    const request = { teamId, projectId, productIds, ...redemption };
    const found = await rpc.call(FindPromotionCode, request, RPC_TIMEOUT_MS);
    if (!found) throw notFound('promotion_code');
    const { processorPromotionCodeId } = found.promotionCode;
    const redeemed = discounts.find(({ detail }) => detail?.promotionCodeId === processorPromotionCodeId);
    if (found.refusal && !redeemed) throw refusalOf(found.refusal);
    return { processorPromotionCodeId, coupon: found.coupon, redeemed };
  };
}

/** Returns what is thrown for an error of the processor: it alone knows whether a code is only for first payments, or a least amount. */
export const problemOfRedemption = (error: unknown): unknown =>
  isRefusedPromotionCode(error) ? refusalOf('promotion_code_not_applicable') : error;

const refusalOf = (refusal: RedemptionRefusal) => unprocessable(refusal, REFUSALS[refusal]);
