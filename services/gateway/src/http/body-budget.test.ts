import { expect, it } from 'vitest';
import { openBodyBudget } from './body-budget.ts';

it('holds no more than its bytes, a quarter of them for one owner', () => {
  const budget = openBodyBudget(400);
  expect(budget.hold('a', 100)).toBe(true);
  expect(budget.hold('a', 1)).toBe(false);
  for (const owner of ['b', 'c', 'd']) expect(budget.hold(owner, 100)).toBe(true);
  expect(budget.fits('e', 1)).toBe(false);
  budget.release('a', 60);
  expect(budget.hold('e', 60)).toBe(true);
  expect(budget.hold('a', 1)).toBe(false);
});
