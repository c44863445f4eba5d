import { expect, it } from 'vitest';
import { refusalOfCode, refusalOfCoupon } from './discount.ts';

const now = new Date('2026-04-01T00:00:00Z');
const free = { maxRedemptions: null, timesRedeemed: 7 };
const code = { ...free, isActive: true, expiresAt: null };

it.each([
  [{}, null],
  [{ isActive: false }, 'promotion_code_inactive'],
  [{ maxRedemptions: 8 }, null],
  [{ maxRedemptions: 7 }, 'promotion_code_exhausted'],
  [{ maxRedemptions: 7, isActive: false }, 'promotion_code_exhausted'],
  [{ expiresAt: new Date('2026-04-01T00:00:01Z') }, null],
  [{ expiresAt: now, isActive: false }, 'promotion_code_expired'],
])('says of a code with %j why nobody can redeem it: %s', (terms, refusal) => {
  expect(refusalOfCode({ ...code, ...terms }, now)).toBe(refusal);
});

it.each([
  [{}, null],
  [{ deletedAt: now }, 'promotion_code_inactive'],
  [{ maxRedemptions: 7 }, 'promotion_code_exhausted'],
  [{ redeemBy: now }, 'promotion_code_expired'],
  [{ redeemBy: new Date('2026-04-01T00:00:01Z') }, null],
])('says of a coupon with %j why nobody can redeem it: %s', (terms, refusal) => {
  expect(refusalOfCoupon({ ...free, redeemBy: null, ...terms }, now)).toBe(refusal);
});

it('says that nobody can redeem a coupon that is gone', () => {
  expect(refusalOfCoupon(undefined, now)).toBe('promotion_code_inactive');
});
