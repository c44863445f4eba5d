import { describe, expect, it } from 'vitest';
import { readCheckoutSession } from './checkout-session.ts';
import { readCustomer } from './customer.ts';
import { readInvoice } from './invoice.ts';
import { readSubscription } from './subscription.ts';

const price = {
  id: 'price_1',
  object: 'price',
  product: 'prod_1',
  unit_amount: 2_999,
  currency: 'usd',
  recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
  active: true,
  metadata: {},
  created: 1_700_000_000,
};
const subscription = {
  id: 'sub_1',
  customer: 'cus_1',
  status: 'active',
  cancel_at_period_end: false,
  cancel_at: null,
  start_date: 1_700_000_000,
  ended_at: null,
  metadata: { projectId: 'proj_1' },
  created: 1_700_000_000,
  items: { data: [{ id: 'si_1', price, quantity: 3 }] },
};
const period = { current_period_start: 1_700_000_000, current_period_end: 1_702_592_000 };

describe('a subscription', () => {
  it('is parsed the same with its period on it or on its items', () => {
    const old = { ...subscription, ...period };
    const items = { data: [{ id: 'si_1', price, quantity: 3, ...period }] };
    expect(readSubscription(old)).toEqual(readSubscription({ ...subscription, items }));
    expect(readSubscription(old).currentPeriodEnd).toEqual(new Date(1_702_592_000_000));
  });

  it('is set to end at the period’s end or at a time', () => {
    const atATime = { cancelAtPeriodEnd: true, cancelAt: new Date(1_702_592_000_000) };
    expect(readSubscription({ ...subscription, cancel_at: 1_702_592_000 })).toMatchObject(atATime);
    const withItsPeriod = readSubscription({ ...subscription, cancel_at_period_end: true });
    expect(withItsPeriod).toMatchObject({ cancelAtPeriodEnd: true, cancelAt: withItsPeriod.currentPeriodEnd });
    expect(readSubscription(subscription)).toMatchObject({ cancelAtPeriodEnd: false, cancelAt: null });
  });

  it('may have an unknown status', () => {
    expect(readSubscription({ ...subscription, status: 'hibernating' }).status).toBeNull();
  });

  it('may have a price without a whole amount', () => {
    const items = { data: [{ id: 'si_1', price: { ...price, unit_amount: null } }] };
    expect(readSubscription({ ...subscription, items }).items[0]).toMatchObject({
      price: { unitAmount: null },
      quantity: 1,
    });
  });
});

describe('an invoice', () => {
  const invoice = {
    id: 'in_1',
    customer: 'cus_1',
    status: 'paid',
    amount_due: 2_999,
    amount_paid: 2_999,
    amount_remaining: 0,
    currency: 'usd',
    created: 1_700_000_000,
  };

  it('has its subscription in the old and in the new field', () => {
    const old = { ...invoice, subscription: 'sub_1', subscription_details: { metadata: { projectId: 'proj_1' } } };
    const details = { subscription: 'sub_1', metadata: { projectId: 'proj_1' } };
    const read = readInvoice({ ...invoice, parent: { subscription_details: details } });
    expect(read).toMatchObject({ subscriptionId: 'sub_1', subscriptionMetadata: { projectId: 'proj_1' } });
    expect(readInvoice(old)).toEqual(read);
  });
});

describe('a customer', () => {
  it('may be the stub of a deleted customer', () => {
    expect(readCustomer({ id: 'cus_1', object: 'customer', deleted: true })).toEqual({ deleted: true, id: 'cus_1' });
  });
});

describe('a checkout session', () => {
  it('has ids where the processor expanded objects', () => {
    const session = { id: 'cs_1', mode: 'subscription', payment_status: 'paid', subscription: { id: 'sub_1' } };
    expect(readCheckoutSession(session)).toMatchObject({ subscriptionId: 'sub_1', setupIntentId: null });
  });
});
