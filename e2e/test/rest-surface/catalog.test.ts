import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, it } from 'vitest';
import { drain } from '../../system/drain.ts';
import { errorOf } from '../../system/http.ts';
import {
  waitForActiveSubscription,
  newCustomer,
  newMonthlyPrice,
  newSubscription,
  newTenant,
  type Tenant,
} from '../../system/tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

const monthly = { unitAmount: 500, currency: 'eur', interval: 'month' } as const;

it('wraps created and changed resources, and returns read ones bare', async () => {
  const { api, P, processor } = tenant;
  const metadata = { tier: 'pro' };
  const created = await api.post(`${P}/products`, { name: 'Pro', description: 'All of it', metadata });
  expect(created.status).toBe(201);
  const { product } = created.body;
  expect(product).toEqual({
    id: expect.stringMatching(/^pp_\w{20,}$/),
    name: 'Pro',
    description: 'All of it',
    isActive: true,
    processorProductId: expect.stringMatching(/^prod_/),
    metadata,
    projectId: tenant.projectId,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(await api.get(`${P}/products/${product.id}`)).toMatchObject({ status: 200, body: product });

  const priced = await api.post(`${P}/prices`, { productId: product.id, ...monthly });
  const { price } = priced.body;
  expect(priced.status).toBe(201);
  expect(price).toMatchObject({ ...monthly, type: 'recurring', intervalCount: 1, isActive: true, metadata: {} });
  expect((await api.get(`${P}/prices/${price.id}`)).body).toEqual(price);

  const changed = await api.patch(`${P}/products/${product.id}`, { name: 'Pro Plus', metadata: {} });
  expect(changed).toMatchObject({ status: 200, body: { product: { name: 'Pro Plus', metadata: {} } } });
  const { objects } = await processor.ledger();
  expect(objects.filter(({ id }) => id === product.processorProductId)).toHaveLength(1);
});

it('archives a deleted product at the processor and hides it in the API', async () => {
  const { billing, callProcessor } = tenant;
  const product = await billing.products.create({ name: 'Old' });
  await billing.products.delete(product.id);
  expect(await errorOf(billing.products.get(product.id))).toMatchObject({ status: 404, code: 'product_not_found' });
  expect(await errorOf(billing.products.delete(product.id))).toMatchObject({ status: 404 });
  expect(await callProcessor(`/v1/products/${product.processorProductId}`)).toMatchObject({ active: false });
});

it('deactivates a deleted price at the processor and keeps its subscriptions', async () => {
  const { billing, callProcessor } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const { processorPriceId } = await billing.prices.get(priceId);
  const before = await newSubscription(tenant, priceId);
  const mrr = await waitFor(async () => (await billing.analytics.get()).mrr, {
    what: 'analytics to include the subscription',
  });

  await billing.prices.delete(priceId);
  await drain(tenant);

  expect(await errorOf(billing.prices.get(priceId))).toMatchObject({ status: 404, code: 'price_not_found' });
  expect(await callProcessor(`/v1/prices/${processorPriceId}`)).toMatchObject({ active: false });
  expect(await waitForActiveSubscription(tenant, before.customerId)).toMatchObject({
    id: before.id,
    status: 'active',
    priceId,
  });
  expect((await billing.analytics.get()).mrr).toBe(mrr);
  const body = {
    customerId: before.customerId,
    priceId,
    successUrl: 'https://a.example',
    cancelUrl: 'https://a.example',
  };
  expect(await errorOf(billing.checkout.create(body))).toMatchObject({ status: 404, code: 'price_not_found' });
});

it('names the immutable fields in a price update', async () => {
  const { api, P } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const body = { unitAmount: 1, currency: 'eur', interval: 'year' };
  const { status, body: response } = await api.patch(`${P}/prices/${priceId}`, body);
  expect(status).toBe(400);
  expect(response.error.code).toBe('validation_error');
  const named = response.error.details.fields.map(({ path }: { path: string }) => path);
  expect(named.toSorted()).toEqual(['currency', 'interval', 'unitAmount']);
  expect((await api.get(`${P}/prices/${priceId}`)).body).toMatchObject({ unitAmount: 2_999, currency: 'usd' });
});

it('lists active resources by default, and filters prices by product', async () => {
  const { billing } = tenant;
  const product = await billing.products.create({ name: 'Filtered' });
  const other = await newMonthlyPrice(tenant);
  const shown = await billing.prices.create({ productId: product.id, ...monthly });
  const hidden = await billing.prices.create({
    productId: product.id,
    unitAmount: 900,
    currency: 'usd',
    type: 'one_time',
  });
  await billing.prices.update(hidden.id, { isActive: false });
  await billing.products.update(other.productId, { isActive: false });

  const pricesOf = async (filters: Parameters<typeof billing.prices.list>[0]) =>
    (await Array.fromAsync(billing.prices.list(filters))).map(({ id }) => id);
  expect(await pricesOf({ productId: product.id })).toEqual([shown.id]);
  expect(await pricesOf({ productId: product.id, activeOnly: false })).toEqual([hidden.id, shown.id]);
  const isListed = async (filters: Parameters<typeof billing.products.list>[0]) =>
    (await Array.fromAsync(billing.products.list(filters))).some(({ id }) => id === other.productId);
  expect([await isListed({}), await isListed({ activeOnly: false })]).toEqual([false, true]);
});

it('rejects new prices and checkouts for an inactive product', async () => {
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  const customerId = await newCustomer(tenant);
  await billing.products.update(productId, { isActive: false });

  const creating = billing.prices.create({ productId, ...monthly });
  expect(await errorOf(creating)).toMatchObject({ status: 422, code: 'product_inactive' });
  const urls = { successUrl: 'https://a.example', cancelUrl: 'https://a.example' };
  const buying = () => billing.checkout.create({ customerId, priceId, ...urls });
  expect(await errorOf(buying())).toMatchObject({ status: 422, code: 'product_inactive' });

  await billing.products.update(productId, { isActive: true });
  await billing.prices.update(priceId, { isActive: false });
  expect(await errorOf(buying())).toMatchObject({ status: 422, code: 'price_inactive' });
});

it.each<[string, Record<string, unknown>]>([
  ['unitAmount', { unitAmount: 100_000_000 }],
  ['unitAmount', { unitAmount: 1.5 }],
  ['currency', { currency: 'USD' }],
  ['interval', { interval: undefined }],
  ['intervalCount', { interval: 'year', intervalCount: 4 }],
  ['metadata.projectId', { metadata: { projectId: 'x' } }],
  ['colour', { colour: 'red' }],
])('rejects a price with an invalid %s and names the field', async (field, invalid) => {
  const { productId } = await newMonthlyPrice(tenant);
  const error = await errorOf(tenant.billing.prices.create({ productId, ...monthly, ...invalid }));
  expect(error).toMatchObject({ status: 400, code: 'validation_error' });
  expect(error.fields.map(({ path }) => path)).toEqual([field]);
});
