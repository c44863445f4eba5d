import fc from 'fast-check';
import { expect, test } from 'vitest';
import { discountAmounts, type Rebate } from './discounts.ts';

const percent = (percentOff: number, products: string[] | null = null): Rebate => ({
  id: `di_${percentOff}`,
  percentOff,
  amountOff: null,
  products,
  item: null,
});
const amount = (amountOff: number): Rebate => ({
  id: 'di_off',
  percentOff: null,
  amountOff,
  products: null,
  item: null,
});
const lines = [
  { amount: 1_000, product: 'prod_a' },
  { amount: 333, product: 'prod_b' },
];
const amounts = (rebates: Rebate[], of = lines) =>
  discountAmounts(of, rebates).map(line => line.map(({ amount: off }) => off));

test('takes a percentage off each line, rounded to the nearest unit', () => {
  expect(amounts([percent(50)])).toEqual([[500], [167]]);
  expect(amounts([percent(33.33)])).toEqual([[333], [111]]);
});

test('takes the second discount off what the first has left', () => {
  expect(amounts([percent(50), percent(10)])).toEqual([
    [500, 50],
    [167, 17],
  ]);
});

test('is limited to its products', () => {
  expect(amounts([percent(50, ['prod_b'])])).toEqual([[], [167]]);
});

test('of an item counts for that alone', () => {
  const items = lines.map((line, index) => ({ ...line, item: `si_${index}` }));
  expect(amounts([{ ...percent(50), item: 'si_1' }, percent(10)], items)).toEqual([[100], [167, 17]]);
});

test('divides an amount among the lines, and takes no more off than there is', () => {
  expect(amounts([amount(100)])).toEqual([[75], [25]]);
  expect(amounts([amount(5_000)])).toEqual([[1_000], [333]]);
});

test('takes nothing off credits', () => {
  expect(amounts([percent(50)], [{ amount: -400, product: 'prod_a' }])).toEqual([[]]);
});

test('the parts of an amount add up to it, whatever the lines', () => {
  const line = fc.record({ amount: fc.nat({ max: 10 ** 9 }), product: fc.constantFrom('a', 'b') });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), fc.nat({ max: 10 ** 9 }), (many, off) => {
      const total = many.reduce((sum, one) => sum + one.amount, 0);
      const taken = discountAmounts(many, [amount(off)]).flat();
      expect(taken.reduce((sum, one) => sum + one.amount, 0)).toBe(Math.min(off, total));
    }),
  );
});
