import { expect, test } from 'vitest';
import { amountDue } from './amount-due.ts';

test.each([
  [2_113, 0, 2_113, 0],
  [-1_409, 0, 0, -1_409],
  [1_000, -400, 600, 0],
  [1_000, -1_400, 0, -400],
  [1_000, 20, 1_020, 0],
  [49, 0, 0, 49],
  [50, 0, 50, 0],
  [0, 0, 0, 0],
  [49, 1, 50, 0],
])('of a total of %i with a balance of %i, %i is due and %i stays', (total, balance, due, endingBalance) => {
  expect(amountDue(total, balance, 'usd')).toEqual({ due, endingBalance });
});

test('the least charge depends on the currency', () => {
  expect(amountDue(49, 0, 'gbp').due).toBe(49);
  expect(amountDue(249, 0, 'dkk').due).toBe(0);
  expect(amountDue(1, 0, 'bhd').due).toBe(1);
});
