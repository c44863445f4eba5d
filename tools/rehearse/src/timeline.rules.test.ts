import type { BillingEvent } from '@billing/client';
import { expect, it } from 'vitest';
import type { Step } from './rehearsal.ts';
import { entry, event, invoice, NAMES, seats, state, subscription } from '../test/events.ts';
import { linesOf, stepText, verdictOf } from './timeline.rules.ts';

const ADVANCE: Step = { do: 'advance', until: 'next_invoice' };
const EXPECT: Step = { do: 'expect', customer: 'ada', subscription: { status: 'active' }, entitlements: { seats: 5 } };

const lines = (events: readonly BillingEvent[], names = NAMES) => linesOf(entry(ADVANCE, { events }), names);

it('tells each invoice once, as it became, by the time of that', () => {
  const open = { number: 'A-2', status: 'open', createdAt: '2030-02-28T12:00:00.000Z', paidAt: null };
  const paid = { ...open, status: 'paid', paidAt: '2030-03-01T12:00:00.000Z' };
  const first = { number: 'A-1', status: 'open', createdAt: '2030-01-31T12:00:00.000Z' };
  expect(lines([invoice(open), invoice(paid, { status: 'open' }), invoice(first)])).toEqual([
    '2030-02-28  advance until next invoice',
    '            2030-01-31  invoice  A-1  $29.99  open',
    '            2030-03-01  invoice  A-2  $29.99  paid',
    '                        events   invoice.paid ×3',
  ]);
});

it('tells what became of a subscription, through all states between', () => {
  const events = [
    subscription({ status: 'trialing', trialEnd: '2030-02-14T12:00:00.000Z' }, null),
    subscription({ status: 'active' }, { status: 'trialing' }),
    subscription({ status: 'past_due', priceId: 'pri_2', quantity: 3 }, { status: 'active', quantity: 1 }),
  ];
  expect(lines(events)[1]).toBe('            2030-01-31  subscription  pro_yearly × 3  trialing → active → past_due');
  expect(lines(events.slice(1))[1]).toMatch(/subscription {2}pro_yearly × 3 {2}trialing → active → past_due$/);
  expect(lines(events.slice(0, 1))[1]).toMatch(/pro_monthly {2}trialing {2}trial until 2030-02-14$/);
  const renewed = subscription({ status: 'trialing' }, { currentPeriodEnd: '2030-01-31T12:00:00.000Z' });
  expect(lines([renewed, ...events.slice(1)])[1]).toMatch(/trialing → active → past_due$/);
});

it.each([
  [{ cancelAt: '2030-03-31T12:00:00.000Z' }, { cancelAt: null }, 'ends 2030-03-31'],
  [{ cancelAt: null }, { cancelAt: '2030-03-31T12:00:00.000Z' }, 'goes on'],
  [{ paused: { invoices: 'void', resumesAt: null } }, { paused: null }, 'payments paused'],
  [{ paused: null }, { paused: { invoices: 'void', resumesAt: null } }, 'payments resumed'],
  [
    { scheduledChange: { id: 'sc_1', items: [{ priceId: 'pri_2' }], effectiveAt: '2030-03-31T12:00:00.000Z' } },
    { scheduledChange: null },
    'becomes pro_yearly on 2030-03-31',
  ],
])('tells of a subscription that changed to %j', (data, previous, text) => {
  expect(lines([subscription(data, previous)])[1]).toBe(`              subscription  ${text}`);
});

it('says nothing of a renewal but its event', () => {
  const renewed = subscription({}, { currentPeriodEnd: '2030-01-31T12:00:00.000Z' });
  expect(lines([renewed]).slice(1)).toEqual(['              events  subscription.updated']);
});

it('tells what a customer may use from the first state to the last', () => {
  const grace = { status: 'past_due', graceEndsAt: '2030-03-07T12:00:00.000Z' };
  const events = [
    state(seats(10), { entitlements: seats(5) }),
    state({}, { entitlements: seats(10), payment: { status: 'ok' } }, grace),
  ];
  expect(lines(events).slice(1, 3)).toEqual([
    '              state         ok → past_due, grace until 2030-03-07',
    '              entitlements  seats 5 → none',
  ]);
  expect(lines([state(seats(5), null)])[1]).toBe('              entitlements  seats 5');
  expect(lines([state(seats(5), { balance: null })]).slice(1)).toEqual([
    '              events  customer.state_changed',
  ]);
});

it('tells of payments that failed how often, and of none that succeeded', () => {
  const failed = { status: 'failed', amount: 2_999, currency: 'usd', failureCode: 'card_declined' };
  const events = [failed, failed, { ...failed, status: 'failed' }].map(data =>
    event('payment.failed', 'pay_1', data, null),
  );
  expect(lines(events)[1]).toBe('              payment  $29.99  failed 3 times (card_declined)');
  const paid = event('payment.succeeded', 'pay_1', { ...failed, status: 'succeeded' }, null);
  expect(lines([...events, paid]).slice(1)).toEqual(['              events  payment.failed ×3, payment.succeeded']);
});

it('names customers where there are several, and leaves out what is too long to have data', () => {
  const names = { ...NAMES, customers: new Map([...NAMES.customers, ['pc_ben', 'ben']]) };
  const long = { ...invoice({ number: 'A-9' }), data: undefined, truncated: true } as BillingEvent; // as the API has one
  expect(lines([state(seats(5), null), long], names).slice(1)).toEqual([
    '              ada  entitlements  seats 5',
    '                   events        customer.state_changed, invoice.paid',
  ]);
});

it('puts what is expected and what is beside each other', () => {
  expect(linesOf(entry(EXPECT), NAMES)).toEqual([
    '2030-02-28  ✓ expect ada: subscription.status active, entitlements.seats 5',
  ]);
  const differences = [
    { path: 'subscription.status', expected: 'active', actual: 'past_due' },
    { path: 'entitlements.seats', expected: '5', actual: 'none' },
  ];
  expect(linesOf(entry(EXPECT, { differences }), NAMES)).toEqual([
    '2030-02-28  ✗ expect ada: subscription.status active, entitlements.seats 5',
    '                                 expected  actual',
    '            subscription.status  active    past_due',
    '            entitlements.seats   5         none',
  ]);
});

it('says why a step could not be taken, and how the rehearsal ended', () => {
  const refused = entry({ do: 'resume', customer: 'ada' }, { error: 'Not paused.' });
  expect(linesOf(refused, NAMES)).toEqual(['2030-02-28  ✗ resume ada', '            Not paused.']);
  const failed = entry(EXPECT, { differences: [{ path: 'invoices.paid', expected: '1', actual: '0' }] });
  expect(verdictOf([entry(EXPECT), entry(ADVANCE)])).toBe('1 expectation holds.');
  expect(verdictOf([entry(EXPECT), entry(EXPECT)])).toBe('2 expectations hold.');
  expect(verdictOf([entry(EXPECT), failed, refused])).toBe(
    '1 of 2 expectations failed. It ended with a step that could not be taken.',
  );
});

it.each<[Step, string]>([
  [
    {
      do: 'sell',
      customer: 'ada',
      priceKey: 'pro',
      quantity: 2,
      trialDays: 14,
      promotionCode: 'STAY',
      collect: 'invoice',
    },
    'sell pro × 2 to ada, 14 days of trial, with STAY, by invoice',
  ],
  [
    { do: 'sell', customer: 'ada', priceKey: 'pro', collect: 'saved', refused: 'payment_failed' },
    'sell pro to ada, refused: payment_failed',
  ],
  [
    { do: 'change', customer: 'ada', priceKey: 'pro', quantity: 2, when: 'period_end' },
    'change ada to pro × 2, period end',
  ],
  [{ do: 'cancel', customer: 'ada', when: 'now', openInvoices: 'void' }, 'cancel ada, now, void open invoices'],
  [{ do: 'advance', by: '1 month' }, 'advance by 1 month'],
])('describes %j', (step, text) => {
  expect(stepText(step)).toBe(text);
});
