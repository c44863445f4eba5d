import type { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { fillAccount } from '../src/past.ts';
import { createCustomerAndPrice, idOf } from './checkout-fixtures.ts';
import { connect, freshKey, startProcessor, type RunningProcessor } from './processor.ts';

const CUSTOMERS = 290;
const DAY = 86_400;

let processor: RunningProcessor;
let stripe: Stripe;
let control: LocalProcessorControl;
const key = freshKey();
beforeAll(async () => {
  processor = await startProcessor();
  stripe = connect(processor, key);
  control = new LocalProcessorControl(processor.url, key);
  await fillAccount(processor.url, key, CUSTOMERS);
});
afterAll(() => processor.close());

const all = <Item extends { id: string }>(list: Stripe.ApiListPromise<Item>): Promise<Item[]> =>
  list.autoPagingToArray({ limit: 10_000 });
const kinds = <Item>(items: readonly Item[], of: (item: Item) => string | null) =>
  [...new Set(items.map(of))].toSorted((one, other) => (String(one) < String(other) ? -1 : 1));

describe('a past', () => {
  it('has every kind of object', async () => {
    const subscriptions = await all(stripe.subscriptions.list({ status: 'all', limit: 100 }));
    expect(kinds(subscriptions, ({ status }) => status)).toEqual(
      ['active', 'canceled', 'incomplete_expired', 'past_due', 'paused', 'trialing', 'unpaid'].toSorted(),
    );
    expect(kinds(subscriptions, ({ currency }) => currency)).toEqual(['eur', 'gbp', 'jpy', 'usd']);
    expect(kinds(await all(stripe.invoices.list({ limit: 100 })), ({ status }) => status)).toEqual([
      'open',
      'paid',
      'void',
    ]);
    const charges = await all(stripe.charges.list({ limit: 100 }));
    expect(kinds(charges, ({ status }) => status)).toEqual(['failed', 'succeeded']);
    expect(charges.some(({ disputed }) => disputed) && charges.some(({ amount_refunded: sum }) => sum > 0)).toBe(true);
    const customers = await all(stripe.customers.list({ limit: 100 }));
    expect(customers.length).toBeLessThan(CUSTOMERS);
    expect(new Set(customers.map(({ email }) => email)).size).toBeLessThan(customers.length);
  });

  it('lists all of it, the newest first, and nothing from after its end', async () => {
    const { now, offset } = await control.clock();
    expect(offset).toBe(0);
    for (const list of [stripe.customers, stripe.subscriptions, stripe.invoices, stripe.charges]) {
      const times = (await all<{ id: string; created: number }>(list.list({ limit: 100 }))).map(
        ({ created }) => created,
      );
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(Math.max(...times)).toBeLessThanOrEqual(now);
      expect(Math.min(...times)).toBeLessThan(now - 300 * DAY);
    }
  });

  it('has customers before what they bought, and invoices that add up', async () => {
    const customers = new Map((await all(stripe.customers.list({ limit: 100 }))).map(row => [row.id, row]));
    const subscriptions = await all(stripe.subscriptions.list({ status: 'all', limit: 100 }));
    const early = subscriptions.filter(row => row.created < (customers.get(idOf(row.customer))?.created ?? 0));
    expect(early.map(({ id }) => id)).toEqual([]);
    const wrong = (await all(stripe.invoices.list({ limit: 100 }))).filter(
      ({ amount_due: due, amount_paid: paid, amount_remaining: left, status }) =>
        due !== paid + left || (status === 'paid' && left !== 0),
    );
    expect(wrong).toEqual([]);
  });

  it('has no events, and goes on where it ended', async () => {
    expect((await stripe.events.list()).data).toEqual([]);
    const paid = async () => (await all(stripe.invoices.list({ limit: 100, status: 'paid' }))).length;
    const before = await paid();
    await control.advanceClock(31 * DAY);
    expect(await paid()).toBeGreaterThan(before);
    expect((await stripe.events.list({ type: 'invoice.paid' })).data).not.toEqual([]);
    await expect(control.rewindClock(DAY)).rejects.toThrow('The account has customers');
  });
});

it('rewinds the clock of an account that has no customers', async () => {
  const own = freshKey();
  const rewound = new LocalProcessorControl(processor.url, own);
  await rewound.rewindClock(40 * DAY);
  const before = await rewound.clock();
  const { customer, price } = await createCustomerAndPrice(connect(processor, own));
  expect(customer.created).toBeGreaterThanOrEqual(before.now);
  expect(customer.created).toBeLessThanOrEqual((await rewound.clock()).now);
  expect(price.created).toBeLessThan(Date.now() / 1_000 - 39 * DAY);
});
