import { gunzipSync } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { AuditEntryId, PriceId, ProductId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { catalogRecords, ReadCatalog, WriteCatalog, type CatalogWrite } from '@billing/contracts/rpc/catalog';
import { expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

type WriteOf<Name extends CatalogWrite['write']> = Extract<CatalogWrite, { write: Name }>;

const product = {
  write: 'create-product',
  key: 'pro',
  name: 'Pro',
  description: null,
  unitLabel: null,
  taxCode: null,
  metadata: { tier: 'pro' },
  isActive: true,
} as const;
const price = {
  write: 'create-price',
  productKey: 'pro',
  key: 'pro_monthly',
  unitAmount: 2_999,
  currency: 'usd',
  currencyOptions: { eur: { unitAmount: 2_799 } },
  type: 'recurring',
  interval: 'month',
  intervalCount: 1,
  meter: null,
  taxBehavior: 'exclusive',
  metadata: {},
  isActive: true,
  replaces: null,
} as const;
const coupon: WriteOf<'create-coupon'> = {
  write: 'create-coupon',
  key: 'spring',
  name: 'Spring',
  percentOff: 20,
  amountOff: null,
  currency: null,
  currencyOptions: {},
  duration: 'forever',
  durationInMonths: null,
  maxRedemptions: null,
  redeemBy: null,
  productKeys: ['pro'],
};
const code = {
  write: 'create-code',
  couponKey: 'spring',
  code: 'SPRING20',
  isActive: false,
  maxRedemptions: 5,
  expiresAt: null,
  firstTimeOnly: true,
  minimumAmount: null,
  currency: null,
  currencyOptions: {},
} as const;
const feature = {
  write: 'create-feature',
  key: 'seats',
  name: 'Seats',
  type: 'limit',
  values: null,
  merge: 'sum',
  isActive: true,
} as const;

/** Starts the catalog and what calls it. */
async function startWriting() {
  const catalog = await startCatalog();
  await catalog.run();
  const audit: AuditContext = {
    id: AuditEntryId.create(),
    actor: { type: 'system', id: null },
    action: 'startSync',
    projectId: catalog.scope.projectId,
    requestId: 'apply',
    address: null,
  };
  return Object.assign(catalog, {
    write: (change: CatalogWrite, operationKey: string = randomUUID()) =>
      catalog.rpc.call(WriteCatalog, { ...catalog.scope, operationKey, audit, change }, 20_000),
    readCatalog: async () => {
      const { text } = await catalog.rpc.call(ReadCatalog, catalog.scope);
      return catalogRecords.parse(JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()));
    },
    entries: async () => (await catalog.published(AuditRecorded)).map(({ data }) => data),
  });
}

const all = (catalog: Catalog) =>
  Promise.all([
    catalog.dashboard.products.list(),
    catalog.dashboard.prices.list(),
    catalog.dashboard.coupons.list(),
    catalog.dashboard.promotionCodes.list(),
  ]).then(lists => lists.map(({ data }) => data.length));

it('makes each write once however often it comes', async () => {
  await using catalog = await startWriting();
  const writes: CatalogWrite[] = [
    feature,
    { write: 'update-feature', key: 'seats', name: 'Users' },
    product,
    price,
    { write: 'give-features', owner: 'product', key: 'pro', features: { seats: { value: 5, per: 'subscription' } } },
    { write: 'give-features', owner: 'price', key: 'pro_monthly', features: { seats: { value: 9, per: 'quantity' } } },
    coupon,
    code,
  ];
  for (const change of writes) {
    const key = randomUUID();
    const [first, ...others] = [
      await catalog.write(change, key),
      ...(await Promise.all([catalog.write(change, key), catalog.write(change, key)])),
    ];
    expect(others).toEqual([first, first]);
  }
  expect(await all(catalog)).toEqual([1, 1, 1, 1]);
  const { features, products, prices, coupons, promotionCodes } = await catalog.readCatalog();
  expect(features).toMatchObject([{ key: 'seats', name: 'Users', merge: 'sum', isActive: true }]);
  const { write: _product, ...ofProduct } = product;
  expect(products).toMatchObject([{ ...ofProduct, features: { seats: { value: 5, per: 'subscription' } } }]);
  const { write: _price, productKey: _of, replaces: _none, ...ofPrice } = price;
  const seats = { seats: { value: 9, per: 'quantity' } };
  expect(prices).toMatchObject([{ ...ofPrice, productId: products[0]?.id, features: seats }]);
  const { write: _coupon, productKeys: _keys, ...ofCoupon } = coupon;
  expect(coupons).toMatchObject([{ ...ofCoupon, productIds: [products[0]?.id] }]);
  const { write: _code, couponKey: _its, ...ofCode } = code;
  expect(promotionCodes).toMatchObject([{ ...ofCode, couponId: coupons[0]?.id }]);
  const ids = (await catalog.entries()).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(9);
});

const LOST = ['dropped', 'done-but-response-lost', '500-but-done'] as const;

it.each(LOST)('makes a write once whose first call fails by %s', async mode => {
  await using catalog = await startWriting();
  const paths: [CatalogWrite, string][] = [
    [product, '/v1/products'],
    [price, '/v1/prices'],
    [coupon, '/v1/coupons'],
    [code, '/v1/promotion_codes'],
  ];
  for (const [change, path] of paths) {
    const key = randomUUID();
    await catalog.control.fail({ method: 'POST', path, mode, times: 20 });
    await catalog.write(change, key).catch(() => undefined);
    await catalog.control.clearFaults();
    await expect.poll(() => catalog.write(change, key).catch(() => null), { timeout: 20_000 }).not.toBeNull();
  }
  expect(await all(catalog)).toEqual([1, 1, 1, 1]);
});

it('replaces a price: the new one takes the key, and then the old one is archived', async () => {
  await using catalog = await startWriting();
  await catalog.write(product);
  const old = PriceId.schema.parse((await catalog.write(price)).id);
  const raised = { ...price, unitAmount: 3_999, replaces: old };
  const key = randomUUID();
  await expect(catalog.write({ ...raised, replaces: null })).resolves.toMatchObject({
    refused: { code: 'catalog_key_taken' },
  });
  const { processorPriceId } = (await catalog.call('GET', `/prices/${old}`)).body;
  // As after a kill between both calls.
  await catalog.control.fail({ method: 'POST', path: `/v1/prices/${processorPriceId}`, mode: 'dropped', times: 20 });
  await expect(catalog.write(raised, key)).rejects.toMatchObject({ code: 'unavailable' });
  await catalog.control.clearFaults();
  const readKeyed = async () => {
    const { prices } = await catalog.readCatalog();
    return prices.map(({ id, isActive, unitAmount }) => ({ id, isActive, unitAmount }));
  };
  expect((await readKeyed()).map(({ isActive }) => isActive)).toEqual([true, true]);
  const { id } = await catalog.write(raised, key);
  expect(await catalog.write(raised, key)).toEqual({ id, refused: null });
  expect(await readKeyed()).toEqual([
    { id: old, isActive: false, unitAmount: 2_999 },
    { id, isActive: true, unitAmount: 3_999 },
  ]);
  const { prices } = (await catalog.call('GET', '/prices?key=pro_monthly')).body;
  expect(prices).toMatchObject([{ id, unitAmount: 3_999 }]);
});

it('changes what differs, and nothing that is as wanted', async () => {
  await using catalog = await startWriting();
  const { id: productId } = await catalog.createProduct();
  const { id: priceId } = await catalog.createPrice(productId);
  const { id: couponId } = await catalog.createCoupon();
  const { id: promotionCodeId } = await catalog.createPromotionCode(couponId);
  const before = (await catalog.entries()).length;
  const writes: CatalogWrite[] = [
    { write: 'update-product', productId, changes: { key: 'pro', name: 'Pro Plus', taxCode: null, isActive: true } },
    {
      write: 'update-price',
      priceId,
      changes: { key: 'pro_monthly', taxBehavior: 'exclusive', currencyOptions: { eur: { unitAmount: 2_799 } } },
    },
    { write: 'set-coupon-key', couponId, key: 'spring' },
    { write: 'update-code', promotionCodeId, isActive: false },
  ];
  for (const change of writes) {
    await catalog.write(change);
    await catalog.write(change);
  }
  const { products, prices, coupons, promotionCodes } = await catalog.readCatalog();
  expect(products).toMatchObject([{ id: productId, key: 'pro', name: 'Pro Plus' }]);
  const options = { eur: { unitAmount: 2_799 } };
  expect(prices).toMatchObject([
    { id: priceId, key: 'pro_monthly', taxBehavior: 'exclusive', currencyOptions: options },
  ]);
  expect(coupons).toMatchObject([{ id: couponId, key: 'spring' }]);
  expect(promotionCodes).toMatchObject([{ id: promotionCodeId, isActive: false }]);
  expect((await catalog.entries()).length - before).toBe(writes.length);
});

it('creates what is archived in the catalog as archived', async () => {
  await using catalog = await startWriting();
  await catalog.write({ ...feature, isActive: false });
  await catalog.write(product);
  await catalog.write({ ...price, isActive: false });
  await catalog.write({ ...product, key: 'old', isActive: false });
  const { features, products, prices } = await catalog.readCatalog();
  expect(features).toMatchObject([{ isActive: false }]);
  expect(products.find(({ key }) => key === 'old')).toMatchObject({ isActive: false });
  expect(prices).toMatchObject([{ isActive: false }]);
});

it('takes away the features that a write does not give', async () => {
  await using catalog = await startWriting();
  await catalog.write(feature);
  await catalog.write({ ...feature, key: 'api', type: 'boolean', merge: null });
  await catalog.write(product);
  const give = (features: WriteOf<'give-features'>['features']) =>
    catalog.write({ write: 'give-features', owner: 'product', key: 'pro', features });
  await give({ seats: { value: 5, per: 'subscription' }, api: { value: true, per: 'subscription' } });
  const seats = { seats: { value: 6, per: 'subscription' } } as const;
  await give(seats);
  expect((await catalog.readCatalog()).products).toMatchObject([{ features: seats }]);
  expect((await catalog.readCatalog()).products[0]?.features).toEqual(seats);
});

it('says why an operation refuses', async () => {
  await using catalog = await startWriting();
  await expect(catalog.write(price)).resolves.toMatchObject({ refused: { code: 'product_not_found' } });
  await expect(
    catalog.write({ write: 'update-product', productId: ProductId.create(), changes: { name: 'Pro' } }),
  ).resolves.toMatchObject({ refused: { code: 'product_not_found' } });
  await catalog.write(product);
  const taxed = { ...product, key: 'taxed', taxCode: 'txcd_99' };
  await expect(catalog.write(taxed)).resolves.toMatchObject({ refused: { code: 'tax_code_invalid' } });
});

it('reads what has a key, archived too, and what is active without one', async () => {
  await using catalog = await startWriting();
  await catalog.createProduct({ name: 'Unkeyed' });
  const archive = async (name: string, body: object) => {
    const { id } = await catalog.createProduct({ name, ...body });
    await catalog.call('PATCH', `/products/${id}`, { body: { isActive: false } });
    return id;
  };
  await archive('Archived', {});
  await archive('Keyed', { key: 'old' });
  const { id: productId, processorProductId } = await catalog.createProduct({ name: 'Pro', key: 'pro' });
  const recurring = { interval: 'month' } as const;
  await catalog.dashboard.prices.create({
    product: processorProductId,
    currency: 'usd',
    recurring,
    billing_scheme: 'tiered',
    tiers_mode: 'volume',
    tiers: [{ up_to: 'inf', unit_amount: 5 }],
  });
  await catalog.deliver(...(await catalog.events('price.created')));
  const { id: first } = await catalog.createPrice(productId);
  const { id: second } = await catalog.createPrice(productId, { key: 'pro_monthly' });
  const { id: couponId } = await catalog.createCoupon();
  await catalog.createPromotionCode(couponId, { code: 'ALL' });
  const { id: gone } = await catalog.createCoupon({ key: 'gone' });
  await catalog.call('DELETE', `/coupons/${gone}`);
  const { products, prices, coupons, promotionCodes } = await catalog.readCatalog();
  expect(products.map(({ name }) => name).toSorted()).toEqual(['Keyed', 'Pro', 'Unkeyed']);
  expect(prices.map(({ id }) => id)).toEqual([first, second]);
  expect(coupons.map(({ id }) => id)).toEqual([couponId]);
  expect(promotionCodes.map(one => one.code)).toEqual(['ALL']);
});
