import type { Price, Subscription } from '@billing/client';
import { expect, it } from 'vitest';
import { formatPrice } from '#ui/amount.ts';
import { formOf, pricesFor, readPlanForm, type PlanForm } from './plan-form.ts';

// Only what the form reads.
const item = (priceId: string | null, quantity = 1) =>
  ({ priceId, processorPriceId: `price_${priceId}`, quantity, currency: 'usd' }) as Subscription['items'][number];
type Changed = Pick<Subscription, 'items' | 'status'>;
const one: Changed = { items: [item('pri_a', 5)], status: 'active' };
const two: Changed = { items: [item('pri_a', 5), item('pri_b')], status: 'active' };
const read = (subscription: Changed, form: Partial<PlanForm>) =>
  readPlanForm(subscription, { ...formOf(subscription), ...form }, id => id === 'pri_m');
const row = (priceId: string, quantity = '1') => ({ key: priceId, priceId, quantity });
const now = { when: 'now', proration: 'always_invoice' };

it('sends the price and the quantity of the only item', () => {
  expect(read(one, { rows: [row('pri_b', '8')] })).toEqual({ change: { ...now, priceId: 'pri_b', quantity: 8 } });
});

it('sends all items of a subscription that has or gets several', () => {
  const rows = [row('pri_a', '5'), row('pri_c', '2')];
  const change = {
    ...now,
    items: [
      { priceId: 'pri_a', quantity: 5 },
      { priceId: 'pri_c', quantity: 2 },
    ],
  };
  expect([read(one, { rows }), read(two, { rows })]).toEqual([{ change }, { change }]);
});

it('sends no quantity of a metered price', () => {
  expect(read(one, { rows: [row('pri_m', '')] })).toEqual({ change: { ...now, priceId: 'pri_m' } });
});

it('keeps a price that is not known here while only the quantity changes', () => {
  const unknown: Changed = { items: [item(null)], status: 'active' };
  expect(read(unknown, { rows: [row('', '3')] })).toEqual({ change: { ...now, quantity: 3 } });
  expect(read({ ...two, items: [...two.items, item(null)] }, { rows: [row('pri_a', '2'), row('')] })).toEqual({
    missing: expect.stringContaining('not known here'),
  });
});

it('prorates neither at the end of the period nor in a trial that goes on', () => {
  const trial: Changed = { ...one, status: 'trialing' };
  const rows = [row('pri_a', '8')];
  const only = { priceId: 'pri_a', quantity: 8 };
  expect([
    read(one, { rows, when: 'period_end' }),
    read(trial, { rows }),
    read(trial, { rows, endsTrial: true }),
    read(trial, { rows, endsTrial: true, when: 'period_end' }),
    read(one, { rows, endsTrial: true }),
  ]).toEqual([
    { change: { when: 'period_end', ...only } },
    { change: { when: 'now', ...only } },
    { change: { ...now, trial: 'end', ...only } },
    { change: { when: 'period_end', ...only } },
    { change: { ...now, ...only } },
  ]);
});

it('describes no change while all stays as it is, or a quantity is none', () => {
  const asItIs = { missing: expect.stringContaining('Choose another price') };
  expect([read(one, {}), read(two, {}), read(one, { promotionCode: '  ' })]).toEqual([asItIs, asItIs, asItIs]);
  for (const quantity of ['', '0', '1.5', '-1', '1000000'])
    expect(read(one, { rows: [row('pri_a', quantity)] })).toEqual({ missing: expect.stringContaining('whole number') });
  expect(read(one, { promotionCode: ' SPRING20 ' })).toMatchObject({ change: { promotionCode: 'SPRING20' } });
});

it('offers recurring prices that are for sale in the currency of the subscription, and its own', () => {
  const price = (id: string, fields: Partial<Price> = {}) =>
    ({
      id,
      type: 'recurring',
      isActive: true,
      currency: 'usd',
      currencyOptions: {},
      productId: 'pp_1',
      ...fields,
    }) as unknown as Price; // only what it reads
  const prices = [
    price('pri_a', { isActive: false }),
    price('pri_c'),
    price('pri_d', { isActive: false }),
    price('pri_e', { type: 'one_time' }),
    price('pri_f', { currency: 'eur' }),
    price('pri_g', { productId: 'pp_2' }),
    price('pri_h', { currency: 'eur', unitAmount: 2_700, currencyOptions: { usd: { unitAmount: 2_900 } } }),
    price('pri_i', { unitAmount: 1_900, currencyOptions: { eur: { unitAmount: 1_800 } } }),
  ];
  const offered = pricesFor(one, prices, id => id === 'pp_1');
  expect(offered.map(({ id }) => id)).toEqual(['pri_a', 'pri_c', 'pri_h', 'pri_i']);
  expect(offered.map(formatPrice).slice(2)).toEqual(['$29.00', '$19.00']);
});
