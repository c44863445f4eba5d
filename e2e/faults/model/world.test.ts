import { expect, it } from 'vitest';
import { computeAnalytics } from './analytics.ts';
import type { ToldEvent } from './told-event.ts';
import { worldOf } from './world.ts';

let count = 0;

/** An event about the subscription `sub_1`, of which only the status and the quantity matter here. */
function subscriptionEvent(kind: string, created: number, status: string, quantity: number): ToldEvent {
  const price = {
    id: 'price_1',
    unit_amount: 1_000,
    currency: 'usd',
    recurring: { interval: 'week', interval_count: 1 },
  };
  const period = { current_period_start: 0, current_period_end: 604_800 };
  const object = {
    id: 'sub_1',
    customer: 'cus_1',
    status,
    cancel_at_period_end: false,
    cancel_at: null,
    ended_at: status === 'canceled' ? created : null,
    items: { data: [{ price, quantity, ...period }] },
    metadata: { note: 'kept', projectId: 'left out' },
    created: 0,
  };
  return { id: `evt_${(count += 1)}`, type: `customer.subscription.${kind}`, created, data: { object } };
}

const told = (...events: ToldEvent[]) => worldOf(events).subscriptions.get('sub_1');

it('lets the newer event count, within a second the later kind, and of one kind what was told last', () => {
  const created = subscriptionEvent('created', 5, 'active', 1);
  expect(told(subscriptionEvent('updated', 7, 'active', 2), created)?.items[0]?.quantity).toBe(2);
  expect(told(subscriptionEvent('updated', 5, 'active', 3), created)?.items[0]?.quantity).toBe(3);
  const [one, another] = [subscriptionEvent('updated', 5, 'active', 4), subscriptionEvent('updated', 5, 'active', 5)];
  expect(told(created, one, another)?.items[0]?.quantity).toBe(5);
  expect(told(another, one, created)).toMatchObject({ items: [{ quantity: 4 }], metadata: { note: 'kept' } });
});

it('lets an end stand, whatever is told later', () => {
  const ended = subscriptionEvent('deleted', 5, 'canceled', 1);
  expect(told(ended, subscriptionEvent('updated', 9, 'active', 1))?.status).toBe('canceled');
});

it('adds exact parts of a month and rounds once', () => {
  const weekly = [1, 2, 3].flatMap(quantity => told(subscriptionEvent('created', 5, 'active', quantity)) ?? []);
  const trialing = told(subscriptionEvent('created', 5, 'trialing', 1));
  const pastDue = told(subscriptionEvent('created', 5, 'past_due', 1));
  // Seven weeks of 10.00 at 52 ÷ 12, of which one is a trial.
  expect(computeAnalytics([...weekly, trialing, pastDue].filter(one => one !== undefined))).toEqual({
    mrr: 30_333,
    mrrTrialing: 4_333,
    mrrByCurrency: { usd: 30_333 },
    subscriptionBreakdown: { active: 3, trialing: 1, past_due: 1 },
  });
});
