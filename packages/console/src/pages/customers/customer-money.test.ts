import type { Invoice, Payment, Subscription } from '@billing/client';
import { expect, it } from 'vitest';
import { earliestOpen, nextInvoice, paidText, tookMoney } from './customer-money.ts';

// Only the fields that are read.
const payment = (fields: Partial<Payment>) =>
  ({ amount: 1_000, amountRefunded: 0, currency: 'usd', status: 'succeeded', ...fields }) as Payment;

it('sums what payments took less refunds, in each currency, and says when there are more', () => {
  const items = [
    payment({ amountRefunded: 300, status: 'partially_refunded' }),
    payment({ status: 'failed' }),
    payment({ status: 'dispute_lost' }),
    payment({ currency: 'eur' }),
  ];
  expect(paidText({ items, total: 4 })).toBe('$7.00 + €10.00');
  expect(paidText({ items, total: 5 })).toBe('over $7.00 + €10.00');
  expect(paidText({ items: [], total: 0 })).toBe('–');
});

it('counts only what took money, neither what is authorized nor what a dispute took back', () => {
  const statuses = ['requires_capture', 'canceled', 'failed', 'dispute_lost', 'succeeded', 'refunded'] as const;
  expect(statuses.filter(status => tookMoney({ status }))).toEqual(['succeeded', 'refunded']);
});

it('finds what is billed next, and passes over what ends', () => {
  const on = (currentPeriodEnd: string, fields: Partial<Subscription> = {}) =>
    ({
      items: [],
      status: 'active',
      cancelAt: null,
      scheduledChange: null,
      currentPeriodEnd,
      ...fields,
    }) as unknown as Subscription;
  const soonest = on('2026-05-01T00:00:00Z');
  const ending = on('2026-04-01T00:00:00Z', { cancelAtPeriodEnd: true });
  expect(nextInvoice([on('2026-06-01T00:00:00Z'), soonest, ending])?.subscription).toBe(soonest);
  expect(nextInvoice([ending, on('2026-04-01T00:00:00Z', { status: 'canceled', endedAt: null })])).toBeUndefined();
});

it('finds the open invoice of the page on which it is paid, or else the earliest', () => {
  const [newer, older] = ['https://pay.example/2', null].map(
    hostedInvoiceUrl => ({ hostedInvoiceUrl, status: 'open' }) as Invoice,
  );
  const invoices = [newer, older].filter(invoice => invoice !== undefined);
  expect(earliestOpen(invoices, 'https://pay.example/2')).toBe(newer);
  expect(earliestOpen(invoices, null)).toBe(older);
});
