import type { Product } from '@billing/client';
import { expect, it } from 'vitest';
import { compare } from './comparison.tsx';
import { historyOf, toPeriod, windowBefore, windowOf } from './periods.ts';
import { revenueByProduct } from './revenue-by-product.ts';

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

const NOW = new Date('2026-03-10T12:00:00Z');

it('has a bar for each day, week or month of a window', () => {
  expect([7, 30, 90, 365].map(days => historyOf(windowOf({ days }, NOW)).step)).toEqual([1, 1, 7, 30]);
});

it.each([
  [{}, { days: 30, from: '2026-02-09', to: '2026-03-10', isOpen: true }],
  [{ days: '7' }, { days: 7, from: '2026-03-04', to: '2026-03-10', isOpen: true }],
  [{ days: '0' }, { days: 30, from: '2026-02-09' }],
  [{ from: '2026-03-01' }, { days: 10, from: '2026-03-01', isOpen: true }],
  [
    { from: '2026-02-01', until: '2026-02-28' },
    { days: 28, from: '2026-02-01', to: '2026-02-28', isOpen: false },
  ],
  [
    { from: '2020-01-01', until: '2026-02-28' },
    { days: 365, to: '2026-02-28' },
  ],
  [
    { from: '2026-03-05', until: '2026-03-01' },
    { days: 30, to: '2026-03-01' },
  ],
  [{ until: '2027-01-01' }, { days: 30, to: '2026-03-10', isOpen: true }],
  [
    { days: '5', to: '2026-03-01' },
    { days: 5, from: '2026-02-25', to: '2026-03-01', isOpen: false },
  ],
])('takes from %j these days', (search, window) => {
  expect(windowOf(search, NOW)).toMatchObject(window);
});

it('compares with as many days that end before', () => {
  const before = windowBefore(windowOf({ from: '2026-03-01', until: '2026-03-04' }, NOW));
  expect(before).toEqual({ days: 4, from: '2026-02-25', to: '2026-02-28', isOpen: false });
});

it.each([
  [{ now: 112, before: 100 }, '+12%', true],
  [{ now: 50, before: 100 }, '−50%', false],
  [{ now: 5, before: 3.8, isRate: true, isLoss: true }, '+1.2 points', false],
  [{ now: 5, before: 0 }, 'None', undefined],
  [{ now: 5, before: 5 }, 'The same', undefined],
])('says of %j: %s', (compared, change, isGood) => {
  expect(compare(compared)).toMatchObject({ change, isGood });
});

it('names the products that add the most, and adds up the rest', () => {
  const mrrByPrice = Array.from({ length: 9 }, (_, at) => ({
    priceId: `pri_${at}` as const,
    subscriptions: 1,
    mrr: { usd: 1_000 * at, eur: 7 },
  }));
  const productOf = (id: string | null | undefined) => ({ id: `prod_${id}` }) as unknown as Product;
  const rows = revenueByProduct({ mrr: 36_000, mrrByPrice }, 'usd', { productOf });
  expect(rows.map(({ mrr }) => mrr)).toEqual([8_000, 7_000, 6_000, 5_000, 4_000, 3_000, 3_000]);
  expect(rows.at(-1)?.product).toBeUndefined();
});
