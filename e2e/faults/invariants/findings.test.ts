import type { Subscription, WebhookEvent } from '@billing/client';
import { expect, it } from 'vitest';
import type { ModelSubscription } from '../model/subscriptions.ts';
import type { World } from '../model/world.ts';
import { compare } from './differences.ts';
import type { Shown } from './shown.ts';
import { findDoubled } from './uniqueness.ts';

const times = {
  currentPeriodStart: '2026-11-01T00:00:00.000Z',
  currentPeriodEnd: '2026-12-01T00:00:00.000Z',
  createdAt: '2026-11-01T00:00:00.000Z',
};
const common = { status: 'active', cancelAtPeriodEnd: false, metadata: {}, ...times } as const;

const shownSubscription = (changes: Partial<Subscription> = {}): Subscription => ({
  id: 'ps_1',
  customerId: 'pc_1',
  processorSubscriptionId: 'sub_1',
  quantity: 2,
  projectId: 'proj_1',
  updatedAt: times.createdAt,
  ...common,
  ...changes,
});
const item = {
  processorPriceId: 'price_1',
  unitAmount: 500,
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
} as const;
const modelSubscription: ModelSubscription = {
  processorCustomerId: 'cus_1',
  items: [{ ...item, quantity: 2 }],
  ...common,
};
const world: World = {
  subscriptions: new Map([['sub_1', modelSubscription]]),
  customers: new Map(),
  invoices: new Map(),
};

/** A project with one subscription and one event, as it should be. */
function shown(changes: Partial<Shown> = {}): Shown {
  const event = { id: 'evt_1', projectId: 'proj_1', status: 'processed' } as unknown as WebhookEvent; // of which the rest does not matter
  return {
    subscriptions: [shownSubscription()],
    customers: [],
    invoices: [],
    prices: [],
    codes: [],
    credits: [],
    events: [event],
    analytics: {
      mrr: 1_000,
      mrrTrialing: 0,
      mrrByCurrency: { usd: 1_000 },
      customerCount: 0,
      customerGrowth: [{ date: '2026-11-21', count: 0 }],
      subscriptionBreakdown: { active: 1, canceled: 0 },
      webhookStats: { total: 1, processed: 1, failed: 0 },
      referralStats: { totalCodes: 0, totalReferrals: 0, converted: 0 },
    } as unknown as Shown['analytics'], // of which the rest does not matter
    ...changes,
  };
}

it('finds nothing where all is as it should be', () => {
  expect(compare(shown(), world)).toEqual({ missing: [], wrong: [] });
  expect(findDoubled(shown())).toEqual([]);
});

it('finds what is missing, what nobody told of, and what is told otherwise', () => {
  expect(compare(shown({ subscriptions: [] }), world).missing).toEqual(['subscription sub_1']);
  const stranger = shownSubscription({ processorSubscriptionId: 'sub_2' });
  expect(compare(shown({ subscriptions: [shownSubscription(), stranger] }), world).wrong).toEqual([
    'subscription sub_2 is shown, and nobody told of it',
  ]);
  const changed = shownSubscription({ status: 'canceled', quantity: 3 });
  expect(compare(shown({ subscriptions: [changed] }), world).wrong).toEqual([
    'subscription sub_1 shows status "canceled", and should show "active"',
    'subscription sub_1 shows quantity 3, and should show 2',
  ]);
});

it('finds figures that are not the sum of what is shown', () => {
  const { analytics, events } = shown();
  expect(compare(shown({ analytics: { ...analytics, mrr: 2_000 } }), world).wrong).toEqual([
    'analytics shows mrr 2000, and should show 1000',
  ]);
  expect(compare(shown({ events: [...events, ...events] }), world).wrong).toEqual([
    expect.stringMatching(/^analytics shows webhookStats .*"total":1.*should show .*"total":2/),
  ]);
});

it('finds what stands twice', () => {
  const { events } = shown();
  expect(findDoubled(shown({ events: [...events, ...events] }))).toEqual(['event evt_1: 2 times']);
});
