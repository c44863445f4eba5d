import type { Coupon, PromotionCode } from '@billing/client';
import { expect, it } from 'vitest';
import { codeStatus, couponStatus, describeDuration, describeOff, describeRedeemed } from './coupon-words.ts';

const now = new Date('2026-03-10T00:00:00Z');
const [past, future] = ['2026-03-09T00:00:00Z', '2026-03-11T00:00:00Z'];
const unlimited = { timesRedeemed: 3, maxRedemptions: null };

it('says what a coupon takes off, for how long, and how often it was redeemed', () => {
  expect([
    describeOff({ percentOff: 12.5, amountOff: null, currency: null }),
    describeOff({ percentOff: null, amountOff: 500, currency: 'usd' }),
    describeDuration({ duration: 'once', durationInMonths: null }),
    describeDuration({ duration: 'repeating', durationInMonths: 1 }),
    describeDuration({ duration: 'repeating', durationInMonths: 12 }),
    describeRedeemed({ timesRedeemed: 1_200, maxRedemptions: 5_000 }),
    describeRedeemed(unlimited),
  ]).toEqual(['12.5% off', '$5.00 off', 'One invoice', '1 month', '12 months', '1,200 of 5,000', '3']);
});

it.each([
  [{ ...unlimited, isValid: true, redeemBy: future }, 'Valid'],
  [{ ...unlimited, isValid: false, redeemBy: past }, 'Expired'],
  [{ timesRedeemed: 3, maxRedemptions: 3, isValid: false, redeemBy: null }, 'Used up'],
  [{ ...unlimited, isValid: false, redeemBy: null }, 'Not valid'],
])('tells why a coupon cannot be redeemed (%#)', (coupon, status) => {
  // Only what its status follows from.
  expect(couponStatus(coupon as Coupon, now).name).toBe(status);
});

it.each([
  [{ ...unlimited, isActive: true, expiresAt: future }, 'Active'],
  [{ ...unlimited, isActive: false, expiresAt: past }, 'Expired'],
  [{ timesRedeemed: 3, maxRedemptions: 3, isActive: false, expiresAt: null }, 'Used up'],
  [{ ...unlimited, isActive: false, expiresAt: null }, 'Inactive'],
])('tells why a promotion code cannot be redeemed (%#)', (code, status) => {
  // Only what its status follows from.
  expect(codeStatus(code as PromotionCode, now).name).toBe(status);
});
