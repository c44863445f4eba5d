import { catalogDocument } from '@billing/contracts/resources/catalog-document';
import { DEFAULT_PORTAL_CONFIG } from '@billing/contracts/resources/portal-config';
import type { CatalogRecords } from '@billing/contracts/rpc/catalog';
import { expect, it } from 'vitest';
import { exportCatalog } from './export.rules.ts';
import { recorded } from './items.rules.ts';
import { withProposedKeys } from './proposed-keys.rules.ts';

type Records = { readonly [Kind in keyof CatalogRecords]: CatalogRecords[Kind][number] };

const product = (id: Records['products']['id'], name: string, key: string | null = null): Records['products'] => ({
  id,
  key,
  name,
  description: null,
  unitLabel: null,
  taxCode: null,
  metadata: {},
  isActive: true,
  features: {},
});
const price = (
  id: Records['prices']['id'],
  productId: Records['products']['id'],
  changes: Partial<Records['prices']> = {},
): Records['prices'] => ({
  id,
  productId,
  key: null,
  unitAmount: 2999,
  currency: 'usd',
  currencyOptions: {},
  type: 'recurring',
  interval: 'month',
  intervalCount: 1,
  meter: null,
  taxBehavior: 'unspecified',
  isActive: true,
  metadata: {},
  features: {},
  ...changes,
});
const coupon: Records['coupons'] = {
  id: 'cpn_1',
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
  redeemBy: null,
};

function proposeFor(records: Partial<CatalogRecords>) {
  const none: CatalogRecords = { features: [], products: [], prices: [], coupons: [], promotionCodes: [] };
  const project = recorded({ ...none, ...records }, DEFAULT_PORTAL_CONFIG, { entitlementGraceDays: 7 });
  const { catalog, unkeyed } = exportCatalog(project, withProposedKeys(project));
  return {
    catalog,
    proposed: unkeyed.filter(({ proposedKey }) => proposedKey !== undefined),
    left: unkeyed.filter(({ proposedKey }) => proposedKey === undefined),
  };
}

it('makes keys of names, intervals and currencies, each once', () => {
  const { catalog, proposed } = proposeFor({
    products: [{ ...product('pp_1', 'Pro (Équipe)'), features: { seats: { value: 5, per: 'subscription' } } }],
    prices: [
      price('pri_1', 'pp_1'),
      price('pri_2', 'pp_1', { unitAmount: 3999 }),
      price('pri_3', 'pp_1', { interval: 'month', intervalCount: 3 }),
    ],
    coupons: [coupon],
  });
  expect(proposed.map(({ proposedKey }) => proposedKey)).toEqual([
    'pro_equipe',
    'pro_equipe_monthly_usd',
    'pro_equipe_monthly_usd_2',
    'pro_equipe_3_months_usd',
    'stay_with_us',
  ]);
  expect(catalog.products[0]).toMatchObject({
    key: 'pro_equipe',
    name: 'Pro (Équipe)',
    features: { seats: { value: 5 } },
  });
  expect(catalog.coupons[0]).toMatchObject({ productKeys: ['pro_equipe'], percentOff: 20 });
  expect(catalogDocument.safeParse(catalog).error).toBeUndefined();
});

it('adds prices to a product that has its key, beside those that have theirs', () => {
  const { catalog } = proposeFor({
    products: [product('pp_1', 'Pro', 'pro')],
    prices: [price('pri_1', 'pp_1', { key: 'pro_monthly_usd', unitAmount: 999 }), price('pri_2', 'pp_1')],
  });
  expect(catalog.products[0]).toHaveProperty('prices', [
    { key: 'pro_monthly_usd', unitAmount: 999, currency: 'usd', interval: 'month' },
    { key: 'pro_monthly_usd_2', unitAmount: 2999, currency: 'usd', interval: 'month' },
  ]);
});

it('leaves out what an apply would confuse with another', () => {
  const { proposed, left } = proposeFor({
    products: [product('pp_1', 'Pro'), product('pp_2', 'Pro')],
    prices: [price('pri_1', 'pp_1')],
  });
  expect(proposed).toEqual([]);
  expect(left.map(({ id }) => id)).toEqual(['pp_1', 'pp_2', 'pri_1']);
});
