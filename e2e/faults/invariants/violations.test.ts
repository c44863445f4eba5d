import type { Subscription, WebhookEvent } from '@billing/client';
import { expect, it } from 'vitest';
import type { ModelSubscription } from '../model/subscriptions.ts';
import type { ExpectedState } from '../model/expected-state.ts';
import { wrongStates } from './customer-states.ts';
import { compare } from './differences.ts';
import type { Snapshot } from './snapshot.ts';
import { findDuplicates } from './duplicates.ts';

const times = {
  currentPeriodStart: '2026-11-01T00:00:00.000Z',
  currentPeriodEnd: '2026-12-01T00:00:00.000Z',
  createdAt: '2026-11-01T00:00:00.000Z',
};
const common = {
  status: 'active',
  cancelAtPeriodEnd: false,
  cancelAt: null,
  canceledAt: null,
  startedAt: times.createdAt,
  trialEnd: null,
  endedAt: null,
  paused: null,
  metadata: {},
  ...times,
} as const;
const item = { processorPriceId: 'price_1', currency: 'usd', interval: 'month', intervalCount: 1 } as const;

const shownSubscription = (changes: Partial<Subscription> = {}): Subscription => ({
  id: 'ps_1',
  customerId: 'pc_1',
  processorSubscriptionId: 'sub_1',
  quantity: 2,
  items: [{ ...item, priceId: null, unitAmount: 500, quantity: 2 }],
  projectId: 'proj_1',
  updatedAt: times.createdAt,
  discounts: [],
  scheduledChange: null,
  pendingChange: null,
  refusedPaymentMethod: null,
  tax: { automatic: false, stoppedReason: null },
  cancellation: null,
  ...common,
  ...changes,
});
const modelSubscription: ModelSubscription = {
  processorCustomerId: 'cus_1',
  items: [{ ...item, amount: '500', billingScheme: 'per_unit', usageType: 'licensed', transform: null, quantity: 2 }],
  ...common,
  discounts: 0,
};
const expected: ExpectedState = {
  subscriptions: new Map([['sub_1', modelSubscription]]),
  customers: new Map(),
  products: new Map(),
  prices: new Map(),
  invoices: new Map(),
  payments: new Map(),
  foreignEvents: new Set(),
};

/** A snapshot of a project with one subscription and one event that agrees with the model. */
function snapshot(changes: Partial<Snapshot> = {}): Snapshot {
  const event = { id: 'evt_1', projectId: 'proj_1', status: 'processed' } as unknown as WebhookEvent; // the other fields are not read
  return {
    subscriptions: [shownSubscription()],
    customers: [],
    invoices: [],
    payments: [],
    products: [],
    prices: [],
    codes: [],
    credits: [],
    events: [event],
    analytics: {
      mrr: 1_000,
      mrrTrialing: 0,
      mrrPaused: 0,
      mrrExcluded: { tiered: 0, metered: 0, otherCurrency: 0, testClock: 0 },
      mrrByCurrency: { usd: 1_000 },
      customerCount: 0,
      customerGrowth: [{ date: '2026-11-21', count: 0 }],
      subscriptionBreakdown: { active: 1, canceled: 0 },
      webhookStats: { total: 1, processed: 1, failed: 0 },
      referralStats: { totalCodes: 0, totalReferrals: 0, converted: 0 },
    } as unknown as Snapshot['analytics'], // the other fields are not read
    productFeatures: [],
    states: new Map(),
    publishedStates: new Map(),
    ...changes,
  };
}

it('finds no violation in a correct snapshot', () => {
  expect(compare(snapshot(), expected)).toEqual({ missing: [], wrong: [] });
  expect(findDuplicates(snapshot())).toEqual([]);
});

it('finds missing, unexpected and changed records', () => {
  expect(compare(snapshot({ subscriptions: [] }), expected).missing).toEqual(['subscription sub_1']);
  const stranger = shownSubscription({ processorSubscriptionId: 'sub_2' });
  expect(compare(snapshot({ subscriptions: [shownSubscription(), stranger] }), expected).wrong).toEqual([
    'subscription sub_2 is shown, but no event describes it',
  ]);
  const changed = shownSubscription({ status: 'canceled', quantity: 3 });
  expect(compare(snapshot({ subscriptions: [changed] }), expected).wrong).toEqual([
    'subscription sub_1 has status "canceled", expected "active"',
    'subscription sub_1 has quantity 3, expected 2',
  ]);
});

it('finds metrics that do not match the records', () => {
  const { analytics, events } = snapshot();
  expect(compare(snapshot({ analytics: { ...analytics, mrr: 2_000 } }), expected).wrong).toEqual([
    'analytics has mrr 2000, expected 1000',
  ]);
  expect(compare(snapshot({ events: [...events, ...events] }), expected).wrong).toEqual([
    expect.stringMatching(/^analytics has webhookStats .*"total":1.*expected .*"total":2/),
  ]);
});

it('finds states that are not what the records say, or not what was published', () => {
  const customers = [{ id: 'pc_1' }] as unknown as Snapshot['customers']; // the other fields are not read
  const plan = { id: 'pri_1', productId: 'pp_1' };
  const prices = [plan] as unknown as Snapshot['prices'];
  const perSeat = { key: 'seats', value: 3, per: 'quantity', productId: 'pp_1', priceId: null } as const;
  const subscriptions = [
    shownSubscription({ status: 'past_due', items: [{ ...item, priceId: 'pri_1', unitAmount: 500, quantity: 2 }] }),
  ];
  const find = (value: number, status = 'past_due', published = value) => {
    const state = (seats: number) => ({
      subscriptions,
      subscriptionsTotal: subscriptions.length,
      entitlements: { seats: { type: 'limit', value: seats, until: null, sources: [] } },
      payment: { status },
    });
    const states = new Map([['pc_1', state(value)]]) as unknown as Snapshot['states'];
    const publishedStates = new Map([['pc_1', state(published)]]) as unknown as Snapshot['publishedStates'];
    const productFeatures = [perSeat];
    return wrongStates(snapshot({ customers, prices, subscriptions, productFeatures, states, publishedStates }));
  };
  expect(find(6)).toEqual([]);
  expect(find(5)).toEqual([expect.stringMatching(/"seats":5.*expected .*"seats":6/)]);
  expect(find(6, 'ok')).toEqual([expect.stringMatching(/"status":"ok".*expected .*"past_due"/)]);
  expect(find(6, 'past_due', 3)).toEqual([expect.stringMatching(/^last event .*"value":3.*"value":6/)]);
});

it('finds duplicates', () => {
  const { events } = snapshot();
  expect(findDuplicates(snapshot({ events: [...events, ...events] }))).toEqual(['event evt_1: 2 times']);
});
