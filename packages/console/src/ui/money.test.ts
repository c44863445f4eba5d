import { expect, it } from 'vitest';
import { decimalText, formatExactMoney, formatMoney, formatShortMoney } from './money.ts';

it('formats the smallest unit of each currency', () => {
  expect(formatMoney(2_999, 'usd')).toMatch(/29[.,]99/);
  expect(formatMoney(500, 'jpy')).toMatch(/500$/);
});

it('shows every decimal of what costs less than the smallest unit', () => {
  expect(formatExactMoney('0.25', 'usd')).toMatch(/0[.,]0025$/);
  expect(formatExactMoney('1250', 'usd')).toMatch(/12[.,]50$/);
});

it('leaves out of an axis what says nothing', () => {
  expect(formatShortMoney(3_000, 'usd')).toMatch(/30$/);
  expect(formatShortMoney(2_250, 'usd')).toMatch(/22[.,]50$/);
  expect(formatShortMoney(123_456, 'usd')).toMatch(/1[.,]2K$/);
});

it.each([
  [2_999, 'usd', '29.99'],
  [5, 'usd', '0.05'],
  [-1_250, 'eur', '-12.50'],
  [500, 'jpy', '500'],
  [1_230, 'kwd', '1.230'],
  [9_007_199_254_740_991, 'usd', '90071992547409.91'],
])('writes %d %s as the decimal number %s', (amount, currency, expected) => {
  expect(decimalText(amount, currency)).toBe(expected);
});
