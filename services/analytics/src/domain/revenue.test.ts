import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { monthlyRevenue, itemRevenue, roundHalfUp, type RevenueTerm } from './revenue.ts';

const item = {
  processorPriceId: 'price_1',
  priceId: null,
  unitAmount: 1_200,
  currency: 'usd',
  interval: 'month' as const,
  intervalCount: 1,
  quantity: 1,
  metered: false,
};

const monthly = (...changes: Partial<Parameters<typeof itemRevenue>[0]>[]) =>
  monthlyRevenue(changes.flatMap(change => itemRevenue({ ...item, ...change }) ?? []));

describe('monthly revenue', () => {
  it.each([
    [{}, 1_200],
    [{ intervalCount: 3 }, 400],
    [{ interval: 'year' as const }, 100],
    [{ interval: 'year' as const, intervalCount: 2 }, 50],
    [{ interval: 'week' as const }, 5_200],
    [{ interval: 'week' as const, intervalCount: 2 }, 2_600],
    [{ interval: 'day' as const }, 36_500],
    [{ interval: 'day' as const, intervalCount: 365 }, 100],
    [{ quantity: 7 }, 8_400],
    [{ quantity: 0 }, 0],
  ])('of 12.00 a month with %j is %i', (change, expected) => {
    expect(monthly(change)).toBe(expected);
  });

  it.each([{ interval: null, intervalCount: null }, { unitAmount: null }, { metered: true }])(
    'leaves out prices without a monthly face value: %j',
    change => expect(itemRevenue({ ...item, ...change })).toBeUndefined(),
  );

  it('is rounded once, at the end', () => {
    const third = { unitAmount: 100, intervalCount: 3 };
    expect(monthly(third)).toBe(33);
    expect(monthly(third, third, third)).toBe(100);
    expect(monthly({ unitAmount: 1, intervalCount: 2 })).toBe(1);
  });

  it('equals the sum over the product of all denominators, rounded', () => {
    const term: fc.Arbitrary<RevenueTerm> = fc.record({
      currency: fc.constant('usd'),
      intervalCount: fc.integer({ min: 1, max: 1_095 }),
      numerator: fc.bigInt({ min: 0n, max: 99_999_999n * 999_999n * 365n }),
    });
    fc.assert(
      fc.property(fc.array(term, { maxLength: 30 }), terms => {
        const denominator = terms.reduce((product, one) => product * 12n * BigInt(one.intervalCount), 1n);
        const numerator = terms.reduce(
          (sum, one) => sum + (one.numerator * denominator) / (12n * BigInt(one.intervalCount)),
          0n,
        );
        const rounded = (2n * numerator + denominator) / (2n * denominator);
        const limit = BigInt(Number.MAX_SAFE_INTEGER);
        expect(BigInt(monthlyRevenue(terms))).toBe(rounded > limit ? limit : rounded);
      }),
    );
  });

  it('rounds halves up, also below zero', () => {
    expect([5n, -5n, 4n, -4n, 15n, -15n].map(tenths => roundHalfUp(tenths, 10n))).toEqual([1n, 0n, 0n, 0n, 2n, -1n]);
  });
});
