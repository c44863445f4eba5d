import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountOf, type Rate, shortestDecimal, wholeAmount } from './price-amount.ts';

const fixed = (unitAmountDecimal: string): Rate => ({
  unitAmountDecimal,
  tiers: null,
  tiersMode: null,
  transform: null,
});
const tier = (up_to: number | null, each: string | null, flat: string | null = null) => ({
  up_to,
  unit_amount_decimal: each,
  flat_amount_decimal: flat,
});
const tiers = [tier(5, '100'), tier(10, '75.5', '20'), tier(null, '50')];

test('a whole unit amount times a quantity is exact', () => {
  fc.assert(
    fc.property(fc.nat(99_999_999), fc.nat(9_999), (each, quantity) => {
      expect(amountOf(fixed(String(each)), quantity)).toBe(each * quantity);
    }),
  );
});

test.each([
  ['0.5', 1, 1],
  ['0.4', 1, 0],
  ['0.4', 3, 1],
  ['12.345', 1_000, 12_345],
  ['0.000000000001', 500_000_000_000, 1],
])('%s for %i units is %i', (each, quantity, amount) => {
  expect(amountOf(fixed(each), quantity)).toBe(amount);
});

test.each([
  ['graduated' as const, 0, 0],
  ['graduated' as const, 5, 500],
  ['graduated' as const, 6, 596],
  ['graduated' as const, 12, 500 + 378 + 20 + 100],
  ['volume' as const, 5, 500],
  ['volume' as const, 6, 473],
  ['volume' as const, 11, 550],
])('%s tiers for %i units cost %i', (tiersMode, quantity, amount) => {
  expect(amountOf({ unitAmountDecimal: null, tiers, tiersMode, transform: null }, quantity)).toBe(amount);
});

test('the first tier’s flat amount is due for no units', () => {
  const flat = [tier(5, null, '900'), tier(null, '1')];
  expect(amountOf({ unitAmountDecimal: null, tiers: flat, tiersMode: 'graduated', transform: null }, 0)).toBe(900);
});

test.each([
  ['up' as const, 11, 200],
  ['down' as const, 19, 100],
  ['up' as const, 10, 100],
])('packages of ten, rounded %s, bill %i units as %i', (round, quantity, amount) => {
  expect(amountOf({ ...fixed('100'), transform: { divide_by: 10, round } }, quantity)).toBe(amount);
});

test('shortens decimals and recognizes whole ones', () => {
  expect(['10', '1.50', '2.0', '0.05', '007'].map(shortestDecimal)).toEqual(['10', '1.5', '2', '0.05', '7']);
  expect(['10', '2.0', '0.05', null].map(wholeAmount)).toEqual([10, 2, null, null]);
});
