import { expect, it } from 'vitest';
import { computeAnalytics } from './analytics.ts';
import type { StripeEvent } from './stripe-event.ts';
import { buildExpectedState } from './expected-state.ts';

let count = 0;

/** An event of the subscription `sub_1`; the tests vary its status and quantity. */
function subscriptionEvent(kind: string, created: number, status: string, quantity: number): StripeEvent {
  const price = {
    id: 'price_1',
    unit_amount_decimal: '1000',
    currency: 'usd',
    billing_scheme: 'per_unit',
    transform_quantity: null,
    recurring: { interval: 'week', interval_count: 1, usage_type: 'licensed' },
  };
  const period = { current_period_start: 0, current_period_end: 604_800 };
  const object = {
    id: 'sub_1',
    customer: 'cus_1',
    status,
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    trial_end: null,
    start_date: 0,
    pause_collection: null,
    discounts: [],
    currency: 'usd',
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
    mrrPaused: 0,
    mrrExcluded: { tiered: 0, metered: 0, otherCurrency: 0, testClock: 0 },
    mrrByCurrency: { usd: 30_333 },
    subscriptionBreakdown: { active: 3, trialing: 1, past_due: 1 },
  });
});

it('computes a payment from its charges, refunds and disputes', () => {
  const event = (type: string, object: object): StripeEvent => ({ id: type, type, created: 1, data: { object } });
  const charge = { object: 'charge', id: 'ch_2', payment_intent: 'pi_1', paid: true, amount: 500, currency: 'usd' };
  const declined = { ...charge, id: 'ch_1', paid: false, failure_code: 'card_declined', customer: 'cus_1' };
  const paid = { ...charge, customer: 'cus_1', amount_refunded: 0 };
  const dispute = { object: 'dispute', id: 'du_1', payment_intent: 'pi_1', status: 'needs_response' };
  const history = [
    ['charge.failed', declined, 'failed'],
    ['charge.succeeded', paid, 'succeeded'],
    ['charge.refunded', { ...paid, amount_refunded: 200 }, 'partially_refunded'],
    ['charge.dispute.created', dispute, 'disputed'],
    ['charge.dispute.closed', { ...dispute, status: 'won' }, 'partially_refunded'],
    ['charge.refunded', { ...paid, amount_refunded: 500 }, 'refunded'],
    ['charge.dispute.closed', { ...dispute, id: 'du_2', status: 'lost' }, 'dispute_lost'],
  ] as const;
  const events = history.map(([type, object]) => event(type, object));
  const statusAfter = (length: number) => buildExpectedState(events.slice(0, length)).payments.get('pi_1')?.status;
  expect(history.map((_, index) => statusAfter(index + 1))).toEqual(history.map(([, , status]) => status));
});

it('calls events foreign whose customer or product was created without our metadata', () => {
  const event = (type: string, object: object): StripeEvent => ({
    id: `${type} ${JSON.stringify(object)}`,
    type,
    created: 1,
    data: { object: { metadata: {}, email: 'ada@example.com', ...object } },
  });
  const ours = { id: 'cus_1', metadata: { projectId: 'proj_1' } };
  const linked = { id: 'cus_2', metadata: { projectId: 'proj_1' } };
  const foreign = [
    event('customer.updated', { id: 'cus_3' }),
    event('charge.succeeded', { object: 'charge', id: 'ch_3', payment_intent: 'pi_3', customer: 'cus_3', paid: true }),
    event('charge.dispute.created', { object: 'dispute', id: 'du_3', charge: 'ch_3', payment_intent: 'pi_3' }),
    event('product.created', { id: 'prod_3' }),
    event('price.created', { id: 'price_3', product: 'prod_3' }),
  ];
  const { foreignEvents, payments } = buildExpectedState([
    event('customer.created', ours),
    event('customer.created', { id: 'cus_2' }),
    event('customer.updated', linked),
    event('customer.created', { id: 'cus_3' }),
    event('price.created', { id: 'price_1', product: 'prod_1' }),
    ...foreign,
  ]);
  expect([...foreignEvents]).toEqual(foreign.map(({ id }) => id));
  expect([...payments]).toEqual([]);
});
