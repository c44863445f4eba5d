import { expect, it } from 'vitest';
import { historyOf, toPeriod, windowOf } from './periods.ts';

const entry = {
  from: '2026-03-01',
  date: '2026-03-07',
  mrr: 70,
  customerCount: 1,
  newMrr: 100,
  expansionMrr: 20,
  reactivatedMrr: 5,
  contractionMrr: 10,
  churnedMrr: 40,
  netMrr: 75,
};

it('shows losses below zero, and the net that the API rounded', () => {
  expect(toPeriod(entry)).toMatchObject({
    from: '2026-03-01',
    to: '2026-03-07',
    new: 100,
    expansion: 20,
    reactivated: 5,
    contraction: -10,
    churned: -40,
    net: 75,
    mrr: 70,
    estimated: false,
  });
  expect(toPeriod({ ...entry, estimated: true }).estimated).toBe(true);
});

it('shows no loss as plain zero', () => {
  const { contraction, churned } = toPeriod({ ...entry, contractionMrr: 0, churnedMrr: 0 });
  expect([contraction, churned]).toEqual([0, 0]);
});

it('has a bar for each day, week or month of a window', () => {
  expect([7, 30, 90, 365].map(days => historyOf(days).step)).toEqual([1, 1, 7, 30]);
});

it('takes 30 days for a window that it does not know', () => {
  expect([windowOf('365'), windowOf('12'), windowOf(undefined)]).toEqual([365, 30, 30]);
});
