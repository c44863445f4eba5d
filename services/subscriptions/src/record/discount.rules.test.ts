import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DiscountSnapshot } from '@billing/processor/snapshots/discounts';
import { aPrice, aSnapshot } from '../../test/snapshots.ts';
import { appliedDiscounts, readDiscounts, recordedDiscount } from './discount.rules.ts';

const coupon = { percentOff: 20, amountOff: null, currency: null, duration: 'forever' as const, productIds: null };
const known = (id: string): DiscountSnapshot => ({
  id,
  detail: { couponId: `coupon of ${id}`, promotionCodeId: null, coupon, endsAt: null },
});
/** A discount whose coupon was deleted. */
const gone = (id: string): DiscountSnapshot => ({
  id,
  detail: { couponId: null, promotionCodeId: null, coupon: null, endsAt: null },
});

const ids = (prefix: string) =>
  fc.integer({ min: 0, max: 2 }).map(count => Array.from({ length: count }, (_, i) => `${prefix}${i}`));
const places = fc.record({
  items: fc.array(ids('item'), { maxLength: 3 }).map(all => all.map((some, index) => some.map(id => `${index}:${id}`))),
  own: ids('own'),
  customer: fc.constantFrom(null, undefined, 'ofCustomer'),
});
type Places = typeof places extends fc.Arbitrary<infer Value> ? Value : never;

const snapshotOf = ({ items, own, customer }: Places, discount: (id: string) => DiscountSnapshot) =>
  aSnapshot({
    items: items.map((of, index) => ({
      id: `si_${index}`,
      price: aPrice(),
      quantity: 1,
      amount: null,
      discounts: of.map(discount),
    })),
    discounts: own.map(discount),
    customerDiscount: typeof customer === 'string' ? discount(customer) : customer,
  });

it('applies those of items, then its own, and that of the customer only without its own', () => {
  fc.assert(
    fc.property(places, given => {
      const applied = appliedDiscounts(readDiscounts(snapshotOf(given, known), []));
      expect(applied.map(({ level, itemIndex, processorDiscountId: id }) => [level, itemIndex, id])).toEqual([
        ...given.items.flatMap((of, index) => of.map(id => ['item', index, id])),
        ...given.own.map(id => ['subscription', null, id]),
        ...(given.own.length === 0 && given.customer ? [['customer', null, given.customer]] : []),
      ]);
    }),
    { numRuns: runs(200) },
  );
});

it('keeps what a discount takes off once its coupon is gone, and the customer’s where the object lacks it', () => {
  fc.assert(
    fc.property(places, given => {
      const recorded = readDiscounts(snapshotOf({ ...given, customer: 'ofCustomer' }, known), []);
      const again = snapshotOf(given, gone);
      const expected = given.customer === null ? recorded.filter(({ level }) => level !== 'customer') : recorded;
      expect(readDiscounts(again, recorded)).toEqual(expected);
      expect(readDiscounts(again, []).every(({ duration }) => duration === null)).toBe(true);
    }),
    { numRuns: runs(200) },
  );
});

it('takes no recorded amount of another currency for that of a discount', () => {
  const off = { ...coupon, percentOff: null, amountOff: 500, currency: 'usd' };
  const discount = { id: 'di_1', detail: { couponId: 'FIVE', promotionCodeId: null, coupon: off, endsAt: null } };
  const recorded = readDiscounts(aSnapshot({ discounts: [discount] }), []);
  expect(recordedDiscount(recorded, 'di_1', 'usd')).toEqual(discount.detail);
  expect(recordedDiscount(recorded, 'di_1', 'eur')).toBeUndefined();
  expect(recordedDiscount(recorded, 'di_2', 'usd')).toBeUndefined();
});
