import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalProcessorControl, type ObjectCounts } from '../src/control/client.ts';
import { createCustomerAndPrice, idOf } from './checkout-fixtures.ts';
import { connect, freshKey, startProcessor, type RunningProcessor } from './processor.ts';

const CUSTOMERS = 800;
const PATHS = [
  '/v1/products',
  '/v1/prices',
  '/v1/customers',
  '/v1/subscriptions?status=all',
  '/v1/subscription_schedules',
  '/v1/invoices',
  '/v1/charges',
  '/v1/payment_intents',
  '/v1/refunds',
  '/v1/test_helpers/test_clocks',
];
const until = Math.floor(Date.now() / 1_000);

let processor: RunningProcessor;
let key: string;
let objects: ObjectCounts;
beforeAll(async () => {
  processor = await startProcessor();
  key = freshKey();
  ({ objects } = await fill({ seed: 1 }, key));
});
afterAll(() => processor.close());

const fill = (past: { seed: number; customers?: number }, secretKey = freshKey()) =>
  new LocalProcessorControl(processor.url, secretKey).fillAccount({ customers: CUSTOMERS, until, ...past });

interface Row {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly [field: string]: unknown;
}

/** Lists every object of a collection, newest first. */
async function listAll(path: string, secretKey = key): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const last = rows.at(-1);
    const query = `limit=100${last ? `&starting_after=${last.id}` : ''}`;
    const response = await fetch(`${processor.url}${path}${path.includes('?') ? '&' : '?'}${query}`, {
      headers: { authorization: `Bearer ${secretKey}` },
    });
    const page = (await response.json()) as { data: Row[]; has_more: boolean }; // a list of the API
    rows.push(...page.data);
    if (!page.has_more) return rows;
  }
}

describe('a past', () => {
  it('is the same byte for byte for the same seed, and another one for another', async () => {
    const [same, different] = [freshKey(), freshKey()];
    await fill({ seed: 5, customers: 400 }, same);
    await fill({ seed: 6, customers: 400 }, different);
    const again = freshKey();
    await fill({ seed: 5, customers: 400 }, again);
    for (const path of PATHS) {
      // The hosted pages of an account have its id in their addresses.
      const listed = async (secretKey: string) =>
        JSON.stringify(await listAll(path, secretKey)).replaceAll(/acct_\w+/g, 'acct');
      const first = await listed(same);
      expect(await listed(again)).toBe(first);
      expect(await listed(different)).not.toBe(first);
    }
  });

  it('has every kind of object', () => {
    expect(Object.keys(objects['subscriptions'] ?? {}).toSorted()).toEqual(
      ['active', 'canceled', 'incomplete', 'incomplete_expired', 'past_due', 'paused', 'trialing', 'unpaid'].toSorted(),
    );
    expect(Object.keys(objects['invoices'] ?? {}).toSorted()).toEqual([
      'draft',
      'open',
      'paid',
      'uncollectible',
      'void',
    ]);
    expect(Object.keys(objects['prices'] ?? {}).toSorted()).toEqual(['metered', 'one time', 'per unit', 'tiered']);
    expect(Object.keys(objects['subscriptions by currency'] ?? {}).toSorted()).toEqual(['eur', 'gbp', 'jpy', 'usd']);
    expect(Object.keys(objects['subscriptions by interval'] ?? {}).toSorted()).toEqual(
      ['3 months', 'day', 'month', 'week', 'year'].toSorted(),
    );
    expect(Object.keys(objects['customers by metadata'] ?? {}).toSorted()).toEqual([
      'app: forum',
      'app: shop',
      'no app',
    ]);
    expect(Object.keys(objects['charges'] ?? {})).toEqual(
      expect.arrayContaining(['succeeded', 'failed', 'refunded', 'partly refunded']),
    );
    const none = Object.entries(objects).flatMap(([type, counts]) =>
      Object.entries(counts).flatMap(([kind, count]) => (count === 0 ? [`${type}: ${kind}`] : [])),
    );
    expect(none).toEqual([]);
  });

  it('lists all of it, the newest first, and nothing from after its end', async () => {
    const counted = (type: string) => Object.values(objects[type] ?? {}).reduce((sum, count) => sum + count, 0);
    const expected = new Map([
      ['/v1/products', counted('products')],
      ['/v1/prices', counted('prices')],
      ['/v1/customers', (objects['customers']?.['live'] ?? 0) - (objects['customers']?.['on test clocks'] ?? 0)],
      ['/v1/invoices', counted('invoices')],
      ['/v1/charges', counted('charges')],
    ]);
    const onClocks = new Set<unknown>();
    for (const { id } of await listAll('/v1/test_helpers/test_clocks'))
      for (const customer of await listAll(`/v1/customers?test_clock=${id}`)) onClocks.add(customer.id);
    for (const path of PATHS) {
      const rows = await listAll(path);
      const times = rows.map(({ created }) => created);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      expect(rows).toHaveLength(expected.get(path) ?? rows.length);
      const late = rows.filter(row => row.created > until && !onClocks.has(row['customer']));
      expect(late.map(({ id }) => id)).toEqual([]);
    }
  });

  it('has objects of the shapes that the API makes', async () => {
    const made = freshKey();
    const stripe = connect(processor, made);
    const { customer, price } = await createCustomerAndPrice(stripe);
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      default_payment_method: card.id,
    });
    expect(idOf(subscription.latest_invoice)).toMatch(/^in_/);
    for (const path of [
      '/v1/products',
      '/v1/prices',
      '/v1/customers',
      '/v1/subscriptions?status=all',
      '/v1/invoices',
      '/v1/charges',
    ]) {
      const [like] = await listAll(path, made);
      const shapes = new Set((await listAll(path)).map(row => shapeOf(row)));
      expect([...shapes]).toEqual([like && shapeOf(like)]);
    }
  });

  it('has customers before what they bought, and invoices that add up', async () => {
    const customers = new Map((await listAll('/v1/customers')).map(row => [row.id, row]));
    const subscriptions = await listAll('/v1/subscriptions?status=all');
    const early = subscriptions.filter(row => row.created < (customers.get(String(row['customer']))?.created ?? 0));
    expect(early.map(({ id }) => id)).toEqual([]);
    const wrong = (await listAll('/v1/invoices')).filter(row => {
      const [due, paid, remaining] = ['amount_due', 'amount_paid', 'amount_remaining'].map(name => Number(row[name]));
      return Number(due) !== Number(paid) + Number(remaining) || (row['status'] === 'paid' && remaining !== 0);
    });
    expect(wrong).toEqual([]);
  });

  it('goes on where it ended', async () => {
    const control = new LocalProcessorControl(processor.url, key);
    const paid = (rows: readonly Row[]) => rows.filter(({ status }) => status === 'paid').length;
    const before = await listAll('/v1/invoices');
    await control.advanceClock(31 * 86_400);
    const after = await listAll('/v1/invoices');
    expect(after.length).toBeGreaterThan(before.length);
    expect(paid(after)).toBeGreaterThan(paid(before));
    const again = fill({ seed: 1 }, key);
    await expect(again).rejects.toThrow('The account has customers');
  });
});

/** The names of an object's fields. */
const shapeOf = (row: object): string => Object.keys(row).toSorted().join(' ');
