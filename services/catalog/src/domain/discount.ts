import {
  couponState,
  promotionCodeState,
  type CouponState,
  type PromotionCodeState,
} from '@billing/contracts/events/discounts';
import { fieldsOf, pick } from '@billing/contracts/fields-of';
import { invalid } from '@billing/contracts/problem';
import type { Coupon } from '@billing/contracts/resources/discount';
import type { RedemptionRefusal } from '@billing/contracts/resources/promotion-code';
import { withoutKey, withoutRouting } from '@billing/processor/metadata';
import { amountOffIn, type CouponSnapshot, type PromotionCodeSnapshot } from '@billing/processor/snapshots/discounts';

/** Amounts by currency. */
type Amounts = Record<string, number>;

/** The fields of a coupon that an event may change; its terms never do. */
export interface CouponContent {
  readonly key: string | null;
  readonly name: string | null;
  readonly timesRedeemed: number;
  /** Without the keys that this service sets. */
  readonly metadata: Record<string, string>;
  /** What it takes off in other currencies, which can be added to; events do not contain it. */
  readonly currencyOptions?: Amounts;
}

const COUPON_TERMS = [
  'percentOff',
  'amountOff',
  'currency',
  'duration',
  'durationInMonths',
  'maxRedemptions',
  'redeemBy',
] as const satisfies readonly (keyof Coupon)[];

/** The fields of a coupon that are fixed when it is created. */
export type CouponTerms = Readonly<Pick<Coupon, (typeof COUPON_TERMS)[number]>>;

/** Returns what may change of the processor's coupon, as we store it. */
export const toCouponContent = ({ name, timesRedeemed, metadata, ...amounts }: CouponSnapshot): CouponContent => ({
  name: name?.normalize('NFC') || null,
  timesRedeemed,
  ...withoutKey(metadata),
  ...otherCurrencies(amounts.currencyOptions, amounts.currency),
});

/** Returns amounts without that of the own currency; nothing where the object did not contain them. */
function otherCurrencies(
  amounts: ReadonlyMap<string, number> | null,
  own: string | null,
): { readonly currencyOptions?: Amounts } {
  if (!amounts) return {};
  return { currencyOptions: Object.fromEntries([...amounts].filter(([currency]) => currency !== own)) };
}

/** Returns the terms of a coupon. */
export const toCouponTerms = (coupon: CouponTerms): CouponTerms => pick(coupon, COUPON_TERMS);

/** Returns a coupon with the amount that it takes off in a currency; undefined where it takes off nothing in that one. */
export function couponIn<Amount extends Pick<CouponTerms, 'amountOff' | 'currency'>>(
  currency: string,
  coupon: Amount,
  { currencyOptions }: Pick<CouponSnapshot, 'currencyOptions'>,
): Amount | undefined {
  const inCurrency = { ...coupon, ...amountOffIn(currency, { ...coupon, currencyOptions }) };
  return inCurrency.amountOff === null || inCurrency.currency === currency ? inCurrency : undefined;
}

interface CouponRecord extends Omit<CouponState, 'processorCouponId'> {
  readonly processorId: string;
}

/** Returns a coupon as events and RPC replies carry it. */
export const toCouponState = ({ processorId: processorCouponId, ...coupon }: CouponRecord): CouponState =>
  fieldsOf(couponState, { ...coupon, processorCouponId });

/** The fields of a promotion code that an event may change, and its text, which the processor may have chosen. */
export interface PromotionCodeContent {
  readonly code: string;
  /** The same in lower case. */
  readonly codeKey: string;
  readonly isActive: boolean;
  readonly timesRedeemed: number;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
  /** The minimum amounts in other currencies, which can be added to; events do not contain them. */
  readonly currencyOptions?: Amounts;
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
  ...otherCurrencies(code.currencyOptions, code.minimumAmountCurrency),
});

/** Returns the terms of the processor's promotion code. */
export function toPromotionCodeTerms(code: PromotionCodeSnapshot): PromotionCodeTerms {
  const { maxRedemptions, expiresAt, firstTimeOnly, minimumAmount, minimumAmountCurrency: currency } = code;
  return { maxRedemptions, expiresAt, firstTimeOnly, minimumAmount, currency };
}

interface PromotionCodeRecord extends Omit<PromotionCodeState, 'processorPromotionCodeId'> {
  readonly processorId: string;
}

/** Returns a promotion code as events and RPC replies carry it. */
export const toPromotionCodeState = ({
  processorId: processorPromotionCodeId,
  ...code
}: PromotionCodeRecord): PromotionCodeState => fieldsOf(promotionCodeState, { ...code, processorPromotionCodeId });

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
