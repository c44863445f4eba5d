import type { CouponState, PromotionCodeState } from '@billing/contracts/events/discounts';
import type { CouponId, CustomerId, ProductId, ProjectId, PromotionCodeId } from '@billing/contracts/ids';
import { invalid } from '@billing/contracts/problem';
import type { CouponDuration, RedemptionRefusal } from '@billing/contracts/resources/discount';
import { withoutRouting } from '@billing/processor/metadata';
import type { CouponSnapshot, PromotionCodeSnapshot } from '@billing/processor/snapshots/discounts';

/** The fields of a coupon that an event may change; its terms never do. */
export interface CouponContent {
  readonly name: string | null;
  readonly timesRedeemed: number;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

/** The fields of a coupon that are fixed when it is created. */
export interface CouponTerms {
  readonly percentOff: number | null;
  readonly amountOff: number | null;
  readonly currency: string | null;
  readonly duration: CouponDuration;
  readonly durationInMonths: number | null;
  readonly maxRedemptions: number | null;
  readonly redeemBy: Date | null;
}

/** Returns what may change of the processor's coupon, as we store it. */
export const toCouponContent = ({ name, timesRedeemed, metadata }: CouponSnapshot): CouponContent => ({
  name: name?.normalize('NFC') || null,
  timesRedeemed,
  metadata: withoutRouting(metadata),
});

/** Returns the terms of a coupon. */
export function toCouponTerms(coupon: CouponTerms): CouponTerms {
  const { percentOff, amountOff, currency, duration, durationInMonths, maxRedemptions, redeemBy } = coupon;
  return { percentOff, amountOff, currency, duration, durationInMonths, maxRedemptions, redeemBy };
}

interface CouponRecord extends CouponTerms {
  readonly id: CouponId;
  readonly projectId: ProjectId;
  readonly processorId: string;
  readonly productIds: readonly ProductId[] | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/** Returns a coupon as events and RPC replies carry it. */
export function toCouponState(coupon: CouponRecord): CouponState {
  const { id, projectId, processorId: processorCouponId, productIds, version, createdAt, deletedAt } = coupon;
  const { percentOff, amountOff, currency, duration, durationInMonths } = coupon;
  const terms = { percentOff, amountOff, currency, duration, durationInMonths, productIds };
  return { id, projectId, processorCouponId, ...terms, version, createdAt, deletedAt };
}

/** The fields of a promotion code that an event may change, and its text, which the processor may have chosen. */
export interface PromotionCodeContent {
  readonly code: string;
  /** The same in lower case. */
  readonly codeKey: string;
  readonly isActive: boolean;
  readonly timesRedeemed: number;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

/** The fields of a promotion code that are fixed when it is created. */
export interface PromotionCodeTerms {
  readonly maxRedemptions: number | null;
  readonly expiresAt: Date | null;
  readonly firstTimeOnly: boolean;
  readonly minimumAmount: number | null;
  /** Of the minimum amount. */
  readonly currency: string | null;
}

/** Customers may enter a code in any case. */
export const toCodeKey = (code: string): string => code.toLowerCase();

/** Returns what may change of the processor's promotion code, as we store it. */
export const toPromotionCodeContent = (code: PromotionCodeSnapshot): PromotionCodeContent => ({
  code: code.code,
  codeKey: toCodeKey(code.code),
  isActive: code.isActive,
  timesRedeemed: code.timesRedeemed,
  metadata: withoutRouting(code.metadata),
});

/** Returns the terms of the processor's promotion code. */
export function toPromotionCodeTerms(code: PromotionCodeSnapshot): PromotionCodeTerms {
  const { maxRedemptions, expiresAt, firstTimeOnly, minimumAmount, minimumAmountCurrency: currency } = code;
  return { maxRedemptions, expiresAt, firstTimeOnly, minimumAmount, currency };
}

interface PromotionCodeRecord extends Pick<PromotionCodeContent, 'code' | 'isActive'> {
  readonly id: PromotionCodeId;
  readonly projectId: ProjectId;
  readonly couponId: CouponId;
  readonly customerId: CustomerId | null;
  readonly processorId: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/** Returns a promotion code as events and RPC replies carry it. */
export function toPromotionCodeState(promotionCode: PromotionCodeRecord): PromotionCodeState {
  const { id, projectId, couponId, processorId: processorPromotionCodeId, code, isActive } = promotionCode;
  const { version, createdAt, deletedAt } = promotionCode;
  return { id, projectId, couponId, processorPromotionCodeId, code, isActive, version, createdAt, deletedAt };
}

interface LimitedCoupon extends Pick<CouponTerms, 'maxRedemptions' | 'redeemBy'> {
  readonly timesRedeemed: number;
}

/** Returns why nobody can redeem a coupon at a time; null if somebody can. A deleted one is inactive. */
export function refusalOfCoupon(
  coupon: (LimitedCoupon & { readonly deletedAt?: Date | null }) | undefined,
  now: Date,
): RedemptionRefusal | null {
  if (!coupon || coupon.deletedAt) return 'promotion_code_inactive';
  if (coupon.redeemBy !== null && coupon.redeemBy <= now) return 'promotion_code_expired';
  return isUsedUp(coupon) ? 'promotion_code_exhausted' : null;
}

interface LimitedCode extends Pick<PromotionCodeTerms, 'maxRedemptions' | 'expiresAt'> {
  readonly isActive: boolean;
  readonly timesRedeemed: number;
}

/** Returns why nobody can redeem a promotion code at a time, apart from its coupon; null if somebody can. */
export function refusalOfCode(code: LimitedCode, now: Date): RedemptionRefusal | null {
  // The processor shows those as inactive too.
  if (code.expiresAt !== null && code.expiresAt <= now) return 'promotion_code_expired';
  if (isUsedUp(code)) return 'promotion_code_exhausted';
  return code.isActive ? null : 'promotion_code_inactive';
}

const isUsedUp = ({ maxRedemptions, timesRedeemed }: Pick<LimitedCoupon, 'maxRedemptions' | 'timesRedeemed'>) =>
  maxRedemptions !== null && timesRedeemed >= maxRedemptions;

/**
 * Requires that a new code of a coupon can be redeemed no longer and no more often than the coupon.
 * https://docs.stripe.com/api/promotion_codes/create
 * @throws Problem 400
 */
export function requireWithin(
  coupon: Pick<CouponTerms, 'maxRedemptions' | 'redeemBy'>,
  {
    maxRedemptions = 0,
    expiresAt,
  }: { readonly maxRedemptions?: number | undefined; readonly expiresAt?: Date | undefined },
): void {
  if (coupon.maxRedemptions !== null && maxRedemptions > coupon.maxRedemptions)
    throw invalid([
      { path: 'maxRedemptions', message: `Expected at most those of the coupon, ${coupon.maxRedemptions}.` },
    ]);
  if (coupon.redeemBy !== null && expiresAt !== undefined && expiresAt > coupon.redeemBy)
    throw invalid([{ path: 'expiresAt', message: 'Expected a time before the `redeemBy` of the coupon.' }]);
}
