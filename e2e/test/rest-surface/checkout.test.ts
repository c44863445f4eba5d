import type { CheckoutCreate } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, inject, it } from 'vitest';
import { drain } from '../../system/drain.ts';
import { errorOf } from '../../system/http.ts';
import { newCustomer, newMonthlyPrice, newTenant, payOnHostedPage, type Tenant } from '../../system/tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

/** Rounding between the clocks of this process and of the database. */
const CLOCK_PRECISION_MS = 10;

const urls = {
  successUrl: 'https://shop.example/done?s={CHECKOUT_SESSION_ID}&x=%20',
  cancelUrl: 'https://shop.example/',
};

it('starts right after its customer and price were created, with all its options', async () => {
  const { billing, callProcessor, teamId, projectId } = tenant;
  for (let round = 0; round < 10; round += 1) {
    const [{ priceId }, customerId] = await Promise.all([newMonthlyPrice(tenant), newCustomer(tenant)]);
    const request = { customerId, priceId, quantity: 3, trialDays: 14, metadata: { ref: '4711' }, ...urls };
    const { sessionId, url } = await billing.checkout.create(request);
    if (round > 0) continue;

    const session = await callProcessor(`/v1/checkout/sessions/${sessionId}?expand[]=line_items`);
    const routing = { teamId, projectId, customerId, priceId };
    expect(session).toMatchObject({
      mode: 'subscription',
      url,
      customer: (await billing.customers.get(customerId)).processorCustomerId,
      success_url: urls.successUrl,
      cancel_url: urls.cancelUrl,
      metadata: { ref: '4711', ...routing },
      line_items: {
        data: [{ quantity: 3, price: { id: (await billing.prices.get(priceId)).processorPriceId } }],
      },
    });
    expect(await payOnHostedPage(url)).toBe(`https://shop.example/done?s=${sessionId}&x=%20`);
    const subscription = await waitFor(async () => (await billing.subscriptions.list({ customerId }).page()).items[0], {
      what: 'the subscription',
    });
    expect(subscription).toMatchObject({ status: 'trialing', quantity: 3, priceId });
  }
});

it('takes a one-time payment without creating a subscription', async () => {
  const { billing } = tenant;
  const product = await billing.products.create({ name: 'Book' });
  const price = await billing.prices.create({
    productId: product.id,
    unitAmount: 900,
    currency: 'usd',
    type: 'one_time',
  });
  expect(price).not.toHaveProperty('interval');
  const customerId = await newCustomer(tenant);
  const { url } = await billing.checkout.create({ customerId, priceId: price.id, mode: 'payment', ...urls });
  await payOnHostedPage(url);
  await drain(tenant);
  expect((await billing.subscriptions.list({ customerId, activeOnly: false }).page()).total).toBe(0);
});

it('rejects a price whose type does not match the mode', async () => {
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  const single = await billing.prices.create({ productId, unitAmount: 900, currency: 'usd', type: 'one_time' });
  const customerId = await newCustomer(tenant);
  const mismatch = { status: 422, code: 'price_type_mismatch' };
  const paying = billing.checkout.create({ customerId, priceId, mode: 'payment', ...urls });
  expect(await errorOf(paying)).toMatchObject(mismatch);
  const subscribing = billing.checkout.create({ customerId, priceId: single.id, ...urls });
  expect(await errorOf(subscribing)).toMatchObject(mismatch);
});

it.each<[string, Record<string, unknown>]>([
  ['successUrl', { successUrl: 'javascript:alert(1)' }],
  ['cancelUrl', { cancelUrl: 'https://user:pw@shop.example/' }],
  ['quantity', { quantity: 0 }],
  ['trialDays', { trialDays: 731 }],
  ['trialDays', { trialDays: 7, mode: 'payment' }],
  ['priceId', { priceId: 'price_1234567890' }],
  ['metadata.customerId', { metadata: { customerId: 'x' } }],
])('rejects an invalid %s and names the field', async (field, invalid) => {
  const { priceId } = await newMonthlyPrice(tenant);
  const body = { customerId: await newCustomer(tenant), priceId, ...urls, ...invalid } as CheckoutCreate;
  const error = await errorOf(tenant.billing.checkout.create(body));
  expect(error).toMatchObject({ status: 400, code: 'validation_error' });
  expect(error.fields.map(({ path }) => path)).toEqual([field]);
});

it('hides customers and prices of other projects', async () => {
  const { billing } = tenant;
  const other = await newTenant();
  const [mine, theirs] = [await newMonthlyPrice(tenant), await newMonthlyPrice(other)];
  const [customerId, theirCustomerId] = [await newCustomer(tenant), await newCustomer(other)];
  const withPrice = billing.checkout.create({ customerId, priceId: theirs.priceId, ...urls });
  expect(await errorOf(withPrice)).toMatchObject({ status: 404, code: 'price_not_found' });
  const withCustomer = billing.checkout.create({ customerId: theirCustomerId, priceId: mine.priceId, ...urls });
  expect(await errorOf(withCustomer)).toMatchObject({ status: 404, code: 'customer_not_found' });
});

it('creates portal links that expire after the requested time', async () => {
  const { billing } = tenant;
  const customerId = await newCustomer(tenant);
  const requestedAt = Date.now();
  const { sessionId, token, portalUrl, expiresAt } = await billing.portal.create({ customerId });
  expect(sessionId).toMatch(/^portal_sess_/);
  expect(portalUrl).toBe(`${inject('gatewayUrl')}/portal/${token}`);
  const startedAt = Date.parse(expiresAt) - 3_600_000;
  expect(startedAt).toBeGreaterThanOrEqual(requestedAt - CLOCK_PRECISION_MS);
  expect(startedAt).toBeLessThanOrEqual(Date.now() + CLOCK_PRECISION_MS);
  const brief = await billing.portal.create({ customerId, ttlMs: 1 });
  await waitFor(async () => (await fetch(brief.portalUrl)).status === 404, { what: 'the link to expire' });
  const missing = billing.portal.create({ customerId: 'pc_00000000000000000000' });
  expect(await errorOf(missing)).toMatchObject({ status: 404, code: 'customer_not_found' });
  const endless = billing.portal.create({ customerId, ttlMs: 2_592_000_001 });
  expect((await errorOf(endless)).fields.map(({ path }) => path)).toEqual(['ttlMs']);
});
