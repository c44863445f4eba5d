import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastCharge } from '@billing/contracts/least-charge';
import type { InvoicePreview } from '@billing/processor/snapshots/invoice-preview';
import { amountsOf, creditLost, linesOf } from './preview.rules.ts';

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
  lacksTaxLocation: false,
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
    ['pays a part', { total: 100, startingBalance: -30, amountDue: 70 }, { creditApplied: 30 }],
    ['pays all', { total: 20, startingBalance: -30, amountDue: 0 }, { creditApplied: 20 }],
    [
      'pays a part of what is too little to charge',
      { total: 40, startingBalance: -10, amountDue: 0 },
      { creditApplied: 10, carriedOver: 30 },
    ],
    ['is not used', { total: 100, startingBalance: 0, amountDue: 100 }, {}],
    ['takes up what is too little to charge', { total: 30, startingBalance: 0, amountDue: 0 }, { carriedOver: 30 }],
    ['is settled when it is owed', { total: 100, startingBalance: 20, amountDue: 120 }, { debitApplied: 20 }],
    [
      'is owed on, as it is too little to charge',
      { total: 20, startingBalance: 10, amountDue: 0 },
      { debitApplied: 10, carriedOver: 30 },
    ],
    ['is settled in part', { total: -100, startingBalance: 700, amountDue: 600 }, { debitApplied: 700 }],
    [
      'is settled, and grows',
      { total: -1_000, startingBalance: 700, amountDue: 0 },
      { debitApplied: 700, creditGranted: 300 },
    ],
    ['grows', { total: -100, startingBalance: -30, amountDue: 0 }, { creditGranted: 100 }],
  ])('%s', (_, amounts, divided) => {
    const nothing = { creditApplied: 0, creditGranted: 0, debitApplied: 0, carriedOver: 0 };
    expect(amountsOf(anInvoice(amounts), true)).toMatchObject({ ...nothing, ...divided });
  });

  it('explains what is due, whatever is owed, and whether a preview shows what is too little or not', () => {
    const amount = fc.oneof(fc.integer({ min: -120, max: 120 }), fc.integer({ min: -1_000_000, max: 1_000_000 }));
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.constantFrom('usd', 'gbp', 'dkk', 'bhd'),
        fc.boolean(),
        (total, startingBalance, currency, isShown) => {
          const left = Math.max(0, total + startingBalance);
          const due = left < leastCharge(currency) ? 0 : left;
          const invoice = anInvoice({ total, startingBalance, currency, amountDue: isShown ? left : due });
          const { creditApplied, creditGranted, debitApplied, carriedOver, amountDue } = amountsOf(invoice, true);
          const divided = [creditApplied, creditGranted, debitApplied, carriedOver];
          expect(amountDue).toBe(due);
          expect(total - creditApplied + creditGranted + debitApplied - carriedOver).toBe(due);
          expect(Math.min(...divided)).toBeGreaterThanOrEqual(0);
          expect(Math.min(creditApplied, debitApplied) + Math.min(creditGranted, carriedOver)).toBe(0);
          expect(carriedOver).toBeLessThan(leastCharge(currency) || 1);
        },
      ),
    );
  });
});

describe('the credit that a new period has lost', () => {
  const END = new Date('2026-05-01T00:00:00Z');
  /** What is left of a month of 30 days at 2,999, as a processor credits it at a time. */
  const credit = (at: Date) => {
    const amount = -Math.round((2_999 * (END.getTime() - at.getTime())) / (30 * 86_400_000));
    return { ...line, isProration: true, amount, periodStart: at, periodEnd: END };
  };
  const MINUTE_MS = 60_000;
  const within = { forMs: 15 * MINUTE_MS, since: new Date('2026-04-01T00:00:00Z') };

  it('explains what every preview of the last minutes credited more, and not what older ones did', () => {
    fc.assert(
      fc.property(fc.integer({ min: 900, max: 2_591_999 }), fc.integer({ min: 0, max: 900 }), (second, age) => {
        const at = new Date(within.since.getTime() + second * 1_000);
        const lines = [credit(at), line];
        const lost = creditLost(anInvoice({ lines }), within);
        const earlier = credit(new Date(at.getTime() - age * 1_000)).amount;
        expect((lines[0]?.amount ?? 0) - earlier).toBeLessThanOrEqual(lost);
        // In the last hour what is left is rounded to almost nothing.
        expect(lost).toBeLessThanOrEqual(second < 2_588_400 ? 4 : 900);
      }),
    );
  });

  it.each([
    ['is none of a period that has just begun', new Date('2026-04-01T00:00:00Z'), {}, 1],
    ['grows with the taxes', new Date('2026-04-16T00:00:00Z'), { subtotal: 100, total: 200 }, 3],
  ])('%s', (_case, at, amounts, lost) => {
    expect(creditLost(anInvoice({ lines: [credit(at)], ...amounts }), within)).toBe(lost);
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
