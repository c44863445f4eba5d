import fc from 'fast-check';
import { expect, test } from 'vitest';
import { locationOf, taxationOf, taxOf } from './tax-rates.ts';

const address = (given: { country?: string; postal_code?: string; state?: string }) => ({
  country: null,
  postal_code: null,
  state: null,
  ...given,
});

test.each([
  [{ country: 'DE' }, { country: 'DE', state: null }],
  [{ country: 'de' }, { country: 'DE', state: null }],
  [
    { country: 'US', postal_code: '94107' },
    { country: 'US', state: null },
  ],
  [
    { country: 'US', postal_code: '94107-1234', state: 'CA' },
    { country: 'US', state: 'CA' },
  ],
  [{ country: 'US', state: 'CA' }, null],
  [
    { country: 'CA', state: 'ON' },
    { country: 'CA', state: 'ON' },
  ],
  [{ country: 'CA' }, null],
  [{ country: 'XQ' }, null],
  [{ postal_code: '10115' }, null],
])('recognizes where %j is taxed', (given, expected) => {
  expect(locationOf(address(given))).toEqual(expected);
});

test.each([
  ['DE', 'none', [], 1900, 'standard_rated'],
  ['DE', 'none', ['DE'], 0, 'reverse_charge'],
  ['DE', 'none', ['FR'], 1900, 'standard_rated'],
  ['DE', 'reverse', [], 0, 'reverse_charge'],
  ['DE', 'exempt', ['DE'], 0, 'customer_exempt'],
  ['US', 'none', ['US'], 0, 'not_collecting'],
])('taxes a sale to %s, exempt %s with ids of %j, at %i: %s', (country, exempt, ids, rate, reason) => {
  expect(taxationOf({ country, state: null }, exempt, ids)).toMatchObject({ rate, reason });
});

test('adds tax to an amount, or takes it out of one, rounded to the nearest cent', () => {
  expect(taxOf(1_000, 1900, false)).toEqual({ amount: 190, taxable: 1_000 });
  expect(taxOf(1_190, 1900, true)).toEqual({ amount: 190, taxable: 1_000 });
  expect(taxOf(-1_000, 1900, false)).toEqual({ amount: -190, taxable: -1_000 });
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 3_000 }), (amount, rate) => {
      const { amount: tax, taxable } = taxOf(amount, rate, true);
      expect(tax + taxable).toBe(amount);
      expect(Math.abs(taxOf(taxable, rate, false).amount - tax)).toBeLessThanOrEqual(1);
    }),
  );
});
