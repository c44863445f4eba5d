import type { Coupon, Price, Product } from '@billing/client';
import { catalogDocument } from '@billing/contracts/resources/catalog-document';
import { expect, it } from 'vitest';
import { proposeKeys, type Records } from './proposed-keys.ts';

const createdAt = '2026-03-02T09:30:00.000Z';
const product = (id: Product['id'], name: string, key?: string): Product => ({
  id,
  ...(key !== undefined && { key }),
  name,
  isActive: true,
  processorProductId: 'prod_1',
  metadata: {},
  projectId: 'proj_1',
  createdAt,
});
const price = (id: Price['id'], productId: Price['productId'], changes: Partial<Price> = {}): Price => ({
  id,
  productId,
  unitAmount: 2999,
  currency: 'usd',
  currencyOptions: {},
  type: 'recurring',
  interval: 'month',
  intervalCount: 1,
  taxBehavior: 'unspecified',
  isActive: true,
  processorPriceId: 'price_1',
  metadata: {},
  createdAt,
  ...changes,
});
const coupon: Coupon = {
  id: 'cpn_1',
  processorCouponId: 'c1',
  key: null,
  name: 'Stay with us',
  percentOff: 20,
  amountOff: null,
  currency: null,
  currencyOptions: {},
  duration: 'once',
  durationInMonths: null,
  productIds: ['pp_1'],
  maxRedemptions: null,
  timesRedeemed: 0,
  redeemBy: null,
  isValid: true,
  createdAt,
};
const none: Records = { products: [], prices: [], coupons: [], promotionCodes: [], given: [], readAt: new Date(0) };
const catalog = { version: 1, features: [], products: [], coupons: [], portal: {}, settings: {} } as const;
const exported = (...unkeyed: [type: 'product' | 'price' | 'coupon', id: string][]) => ({
  catalog: { ...catalog, features: [], products: [], coupons: [] },
  unkeyed: unkeyed.map(([type, id]) => ({ type, id, name: id })),
});

it('makes keys of names, intervals and currencies, each once', () => {
  const { catalog: document, proposed } = proposeKeys(
    exported(['product', 'pp_1'], ['price', 'pri_1'], ['price', 'pri_2'], ['price', 'pri_3'], ['coupon', 'cpn_1']),
    {
      ...none,
      products: [product('pp_1', 'Pro (Équipe)')],
      prices: [
        price('pri_1', 'pp_1'),
        price('pri_2', 'pp_1', { unitAmount: 3999 }),
        price('pri_3', 'pp_1', { interval: 'month', intervalCount: 3 }),
      ],
      coupons: [coupon],
      given: [{ key: 'seats', value: 5, per: 'subscription', productId: 'pp_1', priceId: null }],
    },
  );
  expect(proposed.map(({ key }) => key)).toEqual([
    'pro_equipe',
    'pro_equipe_monthly_usd',
    'pro_equipe_monthly_usd_2',
    'pro_equipe_3_months_usd',
    'stay_with_us',
  ]);
  expect(document.products[0]).toMatchObject({
    key: 'pro_equipe',
    name: 'Pro (Équipe)',
    features: { seats: { value: 5 } },
  });
  expect(document.coupons[0]).toMatchObject({ productKeys: ['pro_equipe'], percentOff: 20 });
  expect(catalogDocument.safeParse(document).error).toBeUndefined();
});

it('adds prices to a product that has its key, beside those that have theirs', () => {
  const keyed = { key: 'pro', name: 'Pro', prices: [{ key: 'pro_monthly_usd', unitAmount: 999, currency: 'usd' }] };
  const { catalog: document } = proposeKeys(
    { ...exported(['price', 'pri_2']), catalog: { ...catalog, features: [], coupons: [], products: [keyed] } },
    {
      ...none,
      products: [product('pp_1', 'Pro', 'pro')],
      prices: [price('pri_1', 'pp_1', { key: 'pro_monthly_usd' }), price('pri_2', 'pp_1')],
    },
  );
  expect(document.products[0]).toHaveProperty('prices', [
    keyed.prices[0],
    { key: 'pro_monthly_usd_2', unitAmount: 2999, currency: 'usd', interval: 'month' },
  ]);
});

it('leaves out what an apply would confuse with another', () => {
  const { proposed, left } = proposeKeys(exported(['product', 'pp_1'], ['product', 'pp_2'], ['price', 'pri_1']), {
    ...none,
    products: [product('pp_1', 'Pro'), product('pp_2', 'Pro')],
    prices: [price('pri_1', 'pp_1')],
  });
  expect(proposed).toEqual([]);
  expect(left.map(({ id }) => id)).toEqual(['pp_1', 'pp_2', 'pri_1']);
});
