import { expect, it } from 'vitest';
import { computeAnalytics } from './analytics.ts';
import type { StripeEvent } from './stripe-event.ts';
import { buildExpectedState } from './expected-state.ts';

let count = 0;

/** An event of the subscription `sub_1`; the tests vary its status and quantity. */
function subscriptionEvent(kind: string, created: number, status: string, quantity: number): StripeEvent {
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
    metadata: { note: 'tenant', projectId: 'routing' },
    created: 0,
  };
  return { id: `evt_${(count += 1)}`, type: `customer.subscription.${kind}`, created, data: { object } };
}

const fold = (...events: StripeEvent[]) => buildExpectedState(events).subscriptions.get('sub_1');

it('applies events by second, then by kind, then in Stripe’s order', () => {
  const created = subscriptionEvent('created', 5, 'active', 1);
  expect(fold(subscriptionEvent('updated', 7, 'active', 2), created)?.items[0]?.quantity).toBe(2);
  expect(fold(subscriptionEvent('updated', 5, 'active', 3), created)?.items[0]?.quantity).toBe(3);
  const [one, another] = [subscriptionEvent('updated', 5, 'active', 4), subscriptionEvent('updated', 5, 'active', 5)];
  expect(fold(created, one, another)?.items[0]?.quantity).toBe(5);
  expect(fold(another, one, created)).toMatchObject({ items: [{ quantity: 4 }], metadata: { note: 'tenant' } });
});

it('keeps a canceled subscription canceled when a later event says otherwise', () => {
  const ended = subscriptionEvent('deleted', 5, 'canceled', 1);
  expect(fold(ended, subscriptionEvent('updated', 9, 'active', 1))?.status).toBe('canceled');
});

it('sums exact fractions of a month and rounds once', () => {
  const weekly = [1, 2, 3].flatMap(quantity => fold(subscriptionEvent('created', 5, 'active', quantity)) ?? []);
  const trialing = fold(subscriptionEvent('created', 5, 'trialing', 1));
  const pastDue = fold(subscriptionEvent('created', 5, 'past_due', 1));
  // Six weekly units of 10.00, plus one in trial, at 52 ÷ 12 weeks per month.
  expect(computeAnalytics([...weekly, trialing, pastDue].filter(one => one !== undefined))).toEqual({
    mrr: 30_333,
    mrrTrialing: 4_333,
    mrrByCurrency: { usd: 30_333 },
    subscriptionBreakdown: { active: 3, trialing: 1, past_due: 1 },
  });
});
