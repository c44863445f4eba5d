import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDecimalText } from '@billing/contracts/decimal-text';
import { itemRevenue, sumTerms, type RevenueTerm } from '@billing/contracts/item-revenue';
import { item as anItem } from '../../test/states.ts';
import { faceValue, monthlyRevenue, roundHalfUp } from './revenue.ts';

const item = { ...anItem, unitAmount: 1_200 };

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
    [{ quantity: 11, transformQuantity: { divideBy: 5, round: 'up' as const } }, 3_600],
    [{ quantity: 11, transformQuantity: { divideBy: 5, round: 'down' as const } }, 2_400],
    [{ quantity: 10, transformQuantity: { divideBy: 5, round: 'up' as const } }, 2_400],
    [{ unitAmount: null, unitAmountDecimal: '0.5', quantity: 3 }, 2],
    [{ unitAmount: null, unitAmountDecimal: '0.000000000001', quantity: 999_999 }, 0],
    [{ unitAmount: null, unitAmountDecimal: '0.49', quantity: 1 }, 0],
  ])('of 12.00 a month with %j is %i', (change, expected) => {
    expect(monthly(change)).toBe(expected);
  });

  it.each([
    { interval: null, intervalCount: null },
    { unitAmount: null },
    { metered: true },
    { billingScheme: 'tiered' as const },
  ])('leaves out prices without a monthly face value: %j', change =>
    expect(itemRevenue({ ...item, ...change })).toBeUndefined(),
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
      divisor: fc.integer({ min: 1, max: 1_095 }),
      numerator: fc.bigInt({ min: 0n, max: 99_999_999n * 999_999n * 365n }),
    });
    fc.assert(
      fc.property(fc.array(term, { maxLength: 30 }), terms => {
        const denominator = terms.reduce((product, one) => product * 12n * BigInt(one.divisor), 1n);
        const numerator = terms.reduce(
          (sum, one) => sum + (one.numerator * denominator) / (12n * BigInt(one.divisor)),
          0n,
        );
        const rounded = (2n * numerator + denominator) / (2n * denominator);
        const limit = BigInt(Number.MAX_SAFE_INTEGER);
        expect(BigInt(monthlyRevenue(terms))).toBe(rounded > limit ? limit : rounded);
      }),
    );
  });

  it('is in the currency of the first item only', () => {
    const terms = faceValue([item, { ...item, currency: 'eur' }, item]);
    expect(terms).toEqual([{ currency: 'usd', divisor: 1, numerator: 2n * 1_200n * 12n }]);
  });

  it('rounds halves up, also below zero', () => {
    expect([5n, -5n, 4n, -4n, 15n, -15n].map(tenths => roundHalfUp(tenths, 10n))).toEqual([1n, 0n, 0n, 0n, 2n, -1n]);
  });
});

describe('decimal text', () => {
  it.each([
    [1n, 1n, '1'],
    [0n, 12n, '0'],
    [1n, 8n, '0.125'],
    [2_999n, 12n, '249.916666666666666667'],
    [1n, 3n, '0.333333333333333334'],
    [600n, 12n, '50'],
    [-600n, 12n, '-50'],
    [-1n, 8n, '-0.125'],
    [-1n, 3n, '-0.333333333333333333'],
    [-1n, 3n * 10n ** 18n, '0.000000000000000000'],
  ])('of %d/%d is %s', (numerator, denominator, text) => {
    expect(toDecimalText({ numerator, denominator })).toBe(text);
  });

  it('of parts, added up and rounded, is the rounded sum of the parts', () => {
    const term = fc.record({
      currency: fc.constant('usd'),
      divisor: fc.tuple(fc.integer({ min: 1, max: 36 }), fc.constantFrom(1, 10, 1_000)).map(([one, ten]) => one * ten),
      numerator: fc.bigInt({ min: -10_000n, max: 10_000n }),
    });
    fc.assert(
      fc.property(fc.array(term, { maxLength: 40 }), terms => {
        const scaled = terms.map(one => {
          const [digits = '', decimals = ''] = toDecimalText(sumTerms([one])).split('.');
          return BigInt(digits + decimals.padEnd(30, '0'));
        });
        const sum = scaled.reduce((all, one) => all + one, 0n);
        expect(Number(roundHalfUp(sum, 10n ** 30n))).toBe(monthlyRevenue(terms));
      }),
      { numRuns: runs(500) },
    );
  });
});
