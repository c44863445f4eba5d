import { expect, it } from 'vitest';
import { formatExactMoney, formatMoney, formatShortMoney, parseMoney } from './money.ts';

it('reads amounts with a point or a comma', () => {
  expect(parseMoney('29.99', 'usd')).toBe(2_999);
  expect(parseMoney(' 29,9 ', 'eur')).toBe(2_990);
  expect(parseMoney('30', 'usd')).toBe(3_000);
  expect(parseMoney('500', 'jpy')).toBe(500);
  expect(parseMoney('1.5', 'kwd')).toBe(1_500);
});

it.each(['', '-1', '1.999', '1e3', '1,000.00', 'x'])('refuses %j as dollars', text => {
  expect(parseMoney(text, 'usd')).toBeUndefined();
});

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
