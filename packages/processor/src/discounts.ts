import type { CreatedFilter } from './created-filter.ts';
import type { CouponSnapshot, DiscountSnapshot, PromotionCodeSnapshot } from './snapshots/discounts.ts';

type Metadata = Readonly<Record<string, string>>;

export interface NewCoupon {
  readonly name: string;
  /** What it takes off: a percentage, or an amount in the currency's smallest unit. */
  readonly off:
    | { readonly percent: number }
    | {
        readonly amount: number;
        readonly currency: string;
        /** What it takes off in other currencies. */
        readonly currencyOptions?: Readonly<Record<string, number>>;
      };
  readonly duration: 'once' | 'repeating' | 'forever';
  /** Only for `repeating`. */
  readonly durationInMonths?: number;
  readonly productIds?: readonly string[];
  readonly maxRedemptions?: number;
  readonly redeemBy?: Date;
  readonly metadata: Metadata;
}

export interface NewPromotionCode {
  readonly couponId: string;
  /** The processor chooses one when absent. */
  readonly code?: string;
  readonly customerId?: string;
  readonly maxRedemptions?: number;
  readonly expiresAt?: Date;
  readonly firstTimeOnly?: boolean;
  readonly minimum?: {
    readonly amount: number;
    readonly currency: string;
    /** The minimum amounts in other currencies. */
    readonly currencyOptions?: Readonly<Record<string, number>>;
  };
  readonly metadata: Metadata;
}

/** Coupons, promotion codes, and the discounts that were made of them. */
export interface Discounts {
  /** Creates a coupon. https://docs.stripe.com/api/coupons/create */
  createCoupon(coupon: NewCoupon, idempotencyKey: string): Promise<CouponSnapshot>;
  findCoupon(id: string): Promise<CouponSnapshot>;
  findCreatedCoupon(created: CreatedFilter): Promise<CouponSnapshot | null>;
  /** Merges metadata. https://docs.stripe.com/api/coupons/update */
  updateCoupon(
    id: string,
    changes: { metadata?: Metadata | undefined },
    idempotencyKey: string,
  ): Promise<CouponSnapshot>;
  /** Deletes a coupon: what has it keeps it. */
  deleteCoupon(id: string): Promise<void>;

  /** Creates a promotion code. https://docs.stripe.com/api/promotion_codes/create */
  createPromotionCode(code: NewPromotionCode, idempotencyKey: string): Promise<PromotionCodeSnapshot>;
  findPromotionCode(id: string): Promise<PromotionCodeSnapshot>;
  findCreatedPromotionCode(couponId: string, created: CreatedFilter): Promise<PromotionCodeSnapshot | null>;
  /** Lists the codes with this text, in any case, newest first. */
  listPromotionCodes(code: string): Promise<PromotionCodeSnapshot[]>;
  updatePromotionCode(
    id: string,
    changes: { isActive?: boolean | undefined; metadata?: Metadata | undefined },
    idempotencyKey: string,
  ): Promise<PromotionCodeSnapshot>;

  /** Finds the discounts of an item of a subscription, which is billed in `currency`. */
  findItemDiscounts(itemId: string, currency: string | null): Promise<readonly DiscountSnapshot[]>;
  /** Finds the discount of a customer, for what is billed in `currency`; null without one. */
  findCustomerDiscount(customerId: string, currency: string | null): Promise<DiscountSnapshot | null>;
}
