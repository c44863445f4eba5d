import type { Customer, Invoice, Payment } from '@billing/client';
import { expect, it } from 'vitest';
import { timelineOf } from './timeline.ts';

it('tells what came first last, also within one second', () => {
  // Only the fields that the timeline reads.
  const customer = { createdAt: '2026-03-01T10:00:00.400Z' } as Customer;
  const invoices = [{ createdAt: '2026-03-01T10:00:00.000Z', number: 'A-1', amountDue: 2_999, currency: 'usd' }];
  const payments = ['2026-03-01T10:00:00.000Z', '2026-04-01T10:00:00.000Z'].map(createdAt => ({
    createdAt,
    amount: 2_999,
    currency: 'usd',
    status: 'succeeded',
  }));
  const history = { customer, subscriptions: [], invoices: invoices as Invoice[], payments: payments as Payment[] };
  expect(timelineOf(history).map(({ icon }) => icon)).toEqual(['payments', 'payments', 'invoices', 'customers']);
});
