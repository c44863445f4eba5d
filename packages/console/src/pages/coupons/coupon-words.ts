import type { Coupon, PromotionCode } from '@billing/client';
import { formatCount, formatPercent } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import type { StatusText } from '#ui/statuses.tsx';

/** Returns what a coupon takes off: `20% off`, `$5.00 off`. */
export function describeOff({
  percentOff,
  amountOff,
  currency,
}: Pick<Coupon, 'percentOff' | 'amountOff' | 'currency'>): string {
  if (percentOff !== null) return `${formatPercent(percentOff)} off`;
  return amountOff !== null && currency ? `${formatMoney(amountOff, currency)} off` : 'A discount';
}

/** Returns amounts in other currencies: `€4.50, £4.00`; null without any. */
export const describeAmounts = (amounts: Coupon['currencyOptions']): string | null =>
  Object.entries(amounts)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(', ') || null;

/** What each duration means. */
export const DURATIONS: Readonly<Record<Coupon['duration'], string>> = {
  once: 'One invoice',
  repeating: 'Some months',
  forever: 'For ever',
};

/** Returns for how long a coupon counts: `3 months`. */
export function describeDuration({
  duration,
  durationInMonths,
}: Pick<Coupon, 'duration' | 'durationInMonths'>): string {
  if (duration !== 'repeating' || durationInMonths === null) return DURATIONS[duration];
  return durationInMonths === 1 ? '1 month' : `${formatCount(durationInMonths)} months`;
}

/** Returns how often something was redeemed: `12 of 100`. */
export const describeRedeemed = ({
  timesRedeemed,
  maxRedemptions,
}: Pick<Coupon, 'timesRedeemed' | 'maxRedemptions'>): string =>
  maxRedemptions === null
    ? formatCount(timesRedeemed)
    : `${formatCount(timesRedeemed)} of ${formatCount(maxRedemptions)}`;

/** Returns whether a coupon can still be redeemed, and why not. */
export function couponStatus(coupon: Coupon, now: Date): StatusText {
  if (coupon.isValid) return { name: 'Valid', tone: 'good' };
  return endOfRedemption(coupon, coupon.redeemBy, now) ?? { name: 'Not valid', tone: 'neutral' };
}

/** Returns whether a promotion code can be redeemed, and why not. */
export function codeStatus(code: PromotionCode, now: Date): StatusText {
  if (code.isActive) return { name: 'Active', tone: 'good' };
  return endOfRedemption(code, code.expiresAt, now) ?? { name: 'Inactive', tone: 'neutral' };
}

function endOfRedemption(
  { timesRedeemed, maxRedemptions }: Pick<Coupon, 'timesRedeemed' | 'maxRedemptions'>,
  end: string | null,
  now: Date,
): StatusText | undefined {
  if (end !== null && new Date(end) <= now) return { name: 'Expired', tone: 'neutral' };
  return maxRedemptions !== null && timesRedeemed >= maxRedemptions ? { name: 'Used up', tone: 'neutral' } : undefined;
}
