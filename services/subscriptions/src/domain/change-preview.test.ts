import { describe, expect, it } from 'vitest';
import type { InvoicePreview } from '@billing/processor/snapshots/invoice-preview';
import { amountsOf, linesOf } from './change-preview.ts';

const line = {
  description: null,
  amount: 100,
  quantity: 1,
  priceId: 'price_1',
  periodStart: new Date('2026-04-13T00:00:00Z'),
  periodEnd: new Date('2026-05-13T00:00:00Z'),
  isProration: false,
};

const anInvoice = (amounts: Partial<InvoicePreview>): InvoicePreview => ({
  id: 'upcoming_in_1',
  currency: 'usd',
  subtotal: 0,
  discount: 0,
  tax: 0,
  total: 0,
  amountDue: 0,
  startingBalance: 0,
  endingBalance: null,
  at: new Date('2026-04-13T00:00:00Z'),
  prorationDate: null,
  lines: [line, { ...line, isProration: true }],
  ...amounts,
});

describe('the balance of a customer', () => {
  it.each([
    ['pays a part', { total: 100, startingBalance: -30, amountDue: 70 }, 30, 0],
    ['pays all', { total: 20, startingBalance: -30, amountDue: 0 }, 20, 0],
    ['pays a part of what is too little to charge', { total: 40, startingBalance: -10, amountDue: 0 }, 10, 0],
    ['is not used', { total: 100, startingBalance: 0, amountDue: 100 }, 0, 0],
    ['takes up what is too little to charge', { total: 30, startingBalance: 0, amountDue: 0 }, 0, 0],
    ['is settled when it is owed', { total: 100, startingBalance: 20, amountDue: 120 }, 0, 0],
    ['grows', { total: -100, startingBalance: -30, amountDue: 0 }, 0, 100],
  ])('%s', (_, amounts, creditApplied, creditGranted) => {
    expect(amountsOf(anInvoice(amounts), true)).toMatchObject({ creditApplied, creditGranted });
  });
});

it.each([
  ['month', 1, '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
  ['month', 3, '2026-11-30T00:00:00Z', '2027-02-28T00:00:00Z'],
  ['year', 1, '2028-02-29T00:00:00Z', '2029-02-28T00:00:00Z'],
  ['week', 2, '2026-12-25T00:00:00Z', '2027-01-08T00:00:00Z'],
  ['day', 10, '2026-02-25T00:00:00Z', '2026-03-07T00:00:00Z'],
] as const)('a new interval of %s × %d from %s ends at %s', (interval, count, start, end) => {
  const periods = { effectiveAt: new Date(start), nextInterval: { interval, count } };
  const [first, proration] = linesOf(anInvoice({}), new Map(), periods);
  expect(first).toMatchObject({ periodStart: new Date(start), periodEnd: new Date(end), proration: false });
  expect(proration).toMatchObject({ periodStart: line.periodStart, periodEnd: line.periodEnd, proration: true });
});
