import type { BillingEvent, Customer, Feature, Invoice, Payment, Referral, Subscription } from '@billing/client';
import { expect, it } from 'vitest';
import { productNames } from '#api/product-names.ts';
import { timelineOf } from './timeline.ts';

type History = Parameters<typeof timelineOf>[0];

// Of all records only the fields that the timeline reads.
const customer = { createdAt: '2026-03-01T10:00:00.400Z' } as Customer;
const names = productNames(
  [
    { id: 'pri_pro', productId: 'pp_pro' },
    { id: 'pri_starter', productId: 'pp_starter' },
  ] as unknown as Parameters<typeof productNames>[0],
  [
    { id: 'pp_pro', name: 'Pro', unitLabel: 'seat' },
    { id: 'pp_starter', name: 'Starter' },
  ] as unknown as Parameters<typeof productNames>[1],
);
const NOTHING = {
  customer,
  names,
  features: [{ key: 'sso', name: 'Single sign-on' }] as Feature[],
  referral: null,
  subscriptions: [],
  invoices: [],
  payments: [],
  events: [],
} satisfies History;
const tell = (history: Partial<History>) => timelineOf({ ...NOTHING, ...history }).map(({ text }) => text);

const subscribed = (priceId: string, quantity = 1, more: object = {}) =>
  ({
    id: 'ps_1',
    items: [
      {
        priceId,
        processorPriceId: priceId,
        quantity,
        unitAmount: 2_999,
        currency: 'usd',
        interval: 'month',
        intervalCount: 1,
      },
    ],
    startedAt: '2026-03-02T10:00:00Z',
    canceledAt: null,
    endedAt: null,
    grants: true,
    ...more,
  }) as unknown as Subscription;
const sso = { value: true, type: 'boolean', sources: [] };
const paid = (createdAt: string, more: object = {}) =>
  ({ createdAt, amount: 2_999, amountRefunded: 0, currency: 'usd', status: 'succeeded', ...more }) as Payment;
const created = { type: 'customer.created', timestamp: '2026-03-01T10:00:00Z' } as BillingEvent;
const changed = (timestamp: string, data: object, previousAttributes: object | null) =>
  ({ type: 'customer.state_changed', timestamp, data, previousAttributes }) as BillingEvent;

it('tells what came first last, also within one second', () => {
  const invoices = [
    {
      id: 'pinv_1',
      createdAt: '2026-03-01T10:00:00.000Z',
      number: 'A-1',
      amountDue: 2_999,
      currency: 'usd',
      status: 'open',
    },
  ];
  const payments = [paid('2026-04-01T10:00:00.000Z'), paid('2026-03-01T10:00:00.000Z')];
  expect(tell({ invoices: invoices as unknown as Invoice[], payments })).toEqual([
    'Paid $29.99',
    'Paid $29.99',
    'Invoice A-1 of $29.99: open',
    'Became a customer',
  ]);
});

it('tells by which code a customer came, and that the referral converted after the payment', () => {
  const payments = [paid('2026-03-01T10:05:00.000Z')];
  const came = (convertedAt: string | null) =>
    tell({ payments, referral: { code: 'GRACE234', createdAt: customer.createdAt, convertedAt } as Referral });
  const pending = ['Paid $29.99', 'Referred with the code GRACE234', 'Became a customer'];
  expect(came(null)).toEqual(pending);
  expect(came('2026-03-01T10:05:00.900Z')).toEqual(['The referral converted', ...pending]);
});

it('names the product of a subscription, and leads to its page', () => {
  const ending = subscribed('pri_pro', 1, { canceledAt: '2026-03-03T10:00:00Z', cancelAt: '2026-04-02T10:00:00Z' });
  const story = timelineOf({ ...NOTHING, subscriptions: [ending] });
  expect(story.map(({ text, place }) => [text, place?.page])).toEqual([
    ['Pro canceled for the end of the period', 'subscriptions/ps_1'],
    ['Subscribed to Pro: $29.99 a month', 'subscriptions/ps_1'],
    ['Became a customer', undefined],
  ]);
});

it('names what each payment was for at its time, through changes of plan', () => {
  const [starter, three, five] = [subscribed('pri_starter'), subscribed('pri_pro', 3), subscribed('pri_pro', 5)];
  const state = (one: Subscription, entitlements: object = {}) => ({ subscriptions: [one], entitlements });
  const events = [
    changed('2026-03-20T10:00:01Z', state(five, { sso }), { subscriptions: [three] }),
    changed('2026-03-10T10:00:01Z', state(three, { sso }), state(starter)),
    created,
  ];
  const invoices = ['subscription_create', 'subscription_update', 'subscription_cycle'].map(billingReason => ({
    id: billingReason,
    billingReason,
    subscriptionId: 'ps_1',
    number: 'A-1',
    status: 'paid',
  }));
  const of = (invoiceId: string) => ({ invoiceId: invoiceId as Invoice['id'] });
  const payments = [
    paid('2026-04-02T10:00:00Z', { ...of('subscription_cycle'), status: 'failed', failureMessage: 'Card declined.' }),
    paid('2026-03-10T10:00:00Z', of('subscription_update')),
    paid('2026-03-02T10:00:00Z', { ...of('subscription_create'), status: 'partially_refunded', amountRefunded: 500 }),
  ];
  const records = { subscriptions: [five], invoices: invoices as unknown as Invoice[], payments };
  expect(tell({ ...records, events })).toEqual([
    'Payment of $29.99 for Pro failed: Card declined.',
    'Pro went from 3 to 5 seats',
    'Went from Starter to Pro: 3 × $29.99 a month',
    'Paid $29.99 for a change of plan',
    'Paid $29.99 for Starter; $5.00 refunded',
    'Subscribed to Starter: $29.99 a month',
    'Became a customer',
  ]);
  // Events do not reach that far back.
  expect(tell({ ...records, events: events.slice(0, 1) })).toContain('Paid $29.99; $5.00 refunded');
});

it('tells what a customer lost, and why', () => {
  const lost = (at: string, before: Subscription[], after: Subscription[]) =>
    changed(at, { subscriptions: after, entitlements: {} }, { subscriptions: before, entitlements: { sso } });
  const pro = subscribed('pri_pro');
  const grant = { ...sso, sources: [{ kind: 'grant', value: true }] };
  const events = [
    lost('2026-03-09T10:00:00Z', [pro], []),
    lost('2026-03-08T10:00:00Z', [pro], [subscribed('pri_pro', 1, { status: 'past_due', grants: false })]),
    changed('2026-03-07T10:00:00Z', { subscriptions: [], entitlements: {} }, { entitlements: { sso: grant } }),
    changed('2026-03-06T10:00:00Z', { subscriptions: [], entitlements: { sso: grant } }, { entitlements: {} }),
  ];
  expect(tell({ events })).toEqual([
    'Lost Single sign-on: Pro has ended',
    'Lost Single sign-on: Pro is past due, and its grace is over',
    'Lost Single sign-on: what was given by hand has ended',
    'Got Single sign-on: given by hand',
    'Became a customer',
  ]);
});
