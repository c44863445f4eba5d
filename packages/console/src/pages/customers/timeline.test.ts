import type { Customer, Invoice, Payment, Referral, Subscription } from '@billing/client';
import { expect, it } from 'vitest';
import { timelineOf } from './timeline.ts';

const nameItems = () => 'Pro';

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
  const records = { subscriptions: [], invoices: invoices as Invoice[], payments: payments as Payment[], nameItems };
  const story = timelineOf({ customer, referral: null, ...records });
  expect(story.map(({ icon }) => icon)).toEqual(['payments', 'payments', 'invoices', 'customers']);
});

it('tells by which code a customer came, and that the referral converted after the payment', () => {
  const createdAt = '2026-03-01T10:00:00.400Z';
  // Only the fields that the timeline reads.
  const customer = { createdAt } as Customer;
  const payment = { createdAt: '2026-03-01T10:05:00.000Z', amount: 2_999, currency: 'usd', status: 'succeeded' };
  const records = { customer, subscriptions: [], invoices: [], payments: [payment as Payment], nameItems };
  const tell = (convertedAt: string | null) => {
    const referral = { code: 'GRACE234', createdAt, convertedAt } as Referral;
    return timelineOf({ ...records, referral }).map(({ text }) => text);
  };
  const pending = ['Paid $29.99', 'Referred with the code GRACE234', 'Became a customer'];
  expect(tell(null)).toEqual(pending);
  expect(tell('2026-03-01T10:05:00.900Z')).toEqual(['The referral converted', ...pending]);
});

it('names the product of a subscription, and leads to its page', () => {
  const price = { unitAmount: 2_999, quantity: 1, currency: 'usd', interval: 'month', intervalCount: 1 };
  const [startedAt, canceledAt, cancelAt] = ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z', '2026-04-01T10:00:00Z'];
  // Only the fields that the timeline reads.
  const subscription = { id: 'ps_1', items: [price], startedAt, canceledAt, cancelAt, endedAt: null };
  const records = { customer: { createdAt: '2026-02-01T10:00:00Z' } as Customer, referral: null, nameItems };
  const subscriptions = [subscription as unknown as Subscription];
  const story = timelineOf({ ...records, subscriptions, invoices: [], payments: [] });
  expect(story.map(({ text, page }) => [text, page])).toEqual([
    ['Pro canceled for the end of the period', 'subscriptions/ps_1'],
    ['Subscribed to Pro: $29.99 a month', 'subscriptions/ps_1'],
    ['Became a customer', undefined],
  ]);
});
