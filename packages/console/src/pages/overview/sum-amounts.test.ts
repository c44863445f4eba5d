import { expect, it } from 'vitest';
import { sumAmounts } from './sum-amounts.ts';

const sum = (...amounts: string[]) => sumAmounts(amounts.map(amount => ({ amount })));

it('adds exactly and rounds once', () => {
  expect(sum('0.4', '0.4', '0.4')).toBe(1);
  expect(sum('833.333333333333333334', '833.333333333333333334', '833.333333333333333334')).toBe(2_500);
  expect(sum('0.166666666666666667', '0.166666666666666667', '0.166666666666666667')).toBe(1);
  expect(sum('2999', '0.5')).toBe(3_000);
  expect(sum()).toBe(0);
});

it('adds losses, and rounds halves up below zero too', () => {
  expect(sum('100', '-700.25')).toBe(-600);
  expect(sum('-0.5')).toBe(0);
  expect(sum('-1.5', '-0.1')).toBe(-2);
  expect(sum('-12')).toBe(-12);
});
