import { expect, it } from 'vitest';
import { describeChange } from './describe-change.ts';

const UPDATED = 'customer.subscription.updated';
const items = (quantity: number, price = 'price_1', current_period_end = 1) => ({
  data: [{ id: 'si_1', price: { id: price }, quantity, current_period_end }],
});
const tell = (object: object, previous: object) =>
  describeChange(UPDATED, { data: { object, previous_attributes: previous }, request: { id: null } }).text;

it.each([
  [{ status: 'past_due' }, { status: 'active' }, 'Active → Past due'],
  [{ cancel_at_period_end: true }, { cancel_at_period_end: false, canceled_at: null }, 'Set to end'],
  [{ cancel_at_period_end: false, cancel_at: null }, { cancel_at_period_end: true, cancel_at: 9 }, 'Goes on again'],
  [{ items: items(5), quantity: 5 }, { items: items(3), quantity: 3 }, 'Other items'],
  [{ quantity: 5 }, { quantity: 3, plan: {} }, 'Quantity 3 → 5'],
  [{ items: items(1, 'price_1', 2) }, { items: items(1), latest_invoice: 'in_1' }, 'A new period began'],
  [{ pause_collection: { behavior: 'void' } }, { pause_collection: null }, 'Payments paused'],
  [
    { status: 'active', items: items(1) },
    { status: 'trialing', items: items(1), metadata: {} },
    'Trial → Active, Other metadata',
  ],
  [{ pending_update: { expires_at: 9 } }, { pending_update: null }, 'A change waits for its payment'],
  [
    { schedule: null, discounts: [] },
    { schedule: 'sub_sched_1', discounts: ['di_1'] },
    'No change is scheduled, Other discounts',
  ],
  [{ description: 'x' }, { description: null }, 'Changed: description'],
  [{ latest_invoice: 'in_2' }, { latest_invoice: 'in_1' }, 'Changed'],
])('tells from an event what changed: %o', (object, previous, text) => {
  expect(tell(object, previous)).toBe(text);
});

it('tells who caused a change, unless the payload was deleted', () => {
  const by = (request: object) => describeChange('customer.subscription.created', { data: {}, request }).by;
  expect(by({ id: 'req_1', idempotency_key: 'billing:cancel-now:op_1' })).toBe('by this service');
  expect(by({ id: 'req_1', idempotency_key: null })).toBe('in Stripe, by a person or an API key');
  expect(by({ id: null, idempotency_key: null })).toBe('by Stripe or the customer');
  const end = { data: {}, request: { id: 'req_1', idempotency_key: null } };
  expect(describeChange('customer.subscription.deleted', end).by).toBe('by a request, here or in Stripe');
  expect(describeChange('customer.subscription.deleted', null)).toEqual({ text: 'Ended', by: null });
  expect(describeChange('something.new', {}).text).toBe('something.new');
});

it('tells why an attempt to pay failed', () => {
  const failed = (object: object) => describeChange('payment_intent.payment_failed', { data: { object } }).text;
  expect(failed({ last_payment_error: { message: 'Your card was declined.' } })).toBe(
    'An attempt failed: Your card was declined.',
  );
  expect(failed({ last_payment_error: null })).toBe('An attempt failed');
});
