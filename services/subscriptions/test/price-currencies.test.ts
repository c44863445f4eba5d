import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { objectOf, OWNED_TYPES, startService, type Service } from './service.ts';
import { startMigration, workOnMigrations } from './migrate-prices.ts';
import { startSale } from './start-sale.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const EUROS = (unitAmount: number) => ({ currencyOptions: { eur: { unitAmount } } });

/** A customer who subscribes in euros to a price of 29.99 usd or 27.50 eur. */
async function subscribeInEuros() {
  const sale = await startSale(service);
  const { price } = await sale.newPrice(EUROS(2_750));
  const { status, body } = await sale.sell({ priceId: price.id, currency: 'eur' });
  expect(status).toBe(201);
  const { subscription, invoice } = body;
  const call = (path: string, wanted: object) =>
    service.call('POST', `/subscriptions/${subscription.id}${path}`, { of: sale.scope, body: wanted });
  return {
    ...sale,
    price,
    subscription,
    invoice,
    preview: (wanted: object) => call('/change/preview', wanted),
    change: (wanted: object) => call('/change', wanted),
    get: async () =>
      (await service.call('GET', `/subscriptions/${subscription.id}`, { of: sale.scope })).body.subscription,
    /** Delivers all events of the customer so far. */
    deliver: async () => {
      const events = await service.account.events(sale.scope, ...OWNED_TYPES);
      const own = events.filter(event => objectOf(event)['customer'] === sale.customer.processorCustomerId);
      for (const event of own) await service.deliver(event);
    },
  };
}

it('sells a price in any of its currencies, without asking the processor for them', async () => {
  const { newPrice, openPage, sell } = await startSale(service);
  const { price } = await newPrice(EUROS(2_750));
  await service.control.fail({ method: 'GET', path: '/v1/prices', mode: 'dropped', times: 50 });
  const priceId = price.id;
  const page = await openPage({ priceId, currency: 'eur' });
  await service.control.clearFaults();
  expect(page.status).toBe(201);
  const refused = await sell({ priceId, currency: 'gbp' });
  expect([refused.status, refused.body.error]).toMatchObject([
    422,
    { code: 'currency_mismatch', details: { checkout: 'gbp', price: 'usd' } },
  ]);
});

it('sells a price in a currency that was added at the processor, whatever is recorded', async () => {
  const { newPrice, sell } = await startSale(service);
  const { price } = await newPrice(EUROS(2_750));
  const currency_options = { gbp: { unit_amount: 2_400 } };
  await service.account.dashboard.prices.update(price.processorPriceId, { currency_options });
  const { status, body } = await sell({ priceId: price.id, currency: 'gbp' });
  expect({ status, subscription: body.subscription }).toMatchObject({
    status: 201,
    subscription: { items: [{ unitAmount: 2_400, currency: 'gbp' }] },
  });
});

it('sells in any currency of a price by its copy while the catalog is down', async () => {
  await using other = await startService();
  const customer = await other.createCustomer();
  const { price, product } = await other.createPrice(EUROS(2_750));
  const { teamId } = other.scope;
  await other.deliver(newEvent(CustomerCreated, teamId, customer));
  await other.deliver(newEvent(ProductCreated, teamId, product));
  await other.deliver(newEvent(PriceCreated, teamId, price));
  await other.stopOtherServices();
  await other.control.fail({ method: 'GET', path: '/v1/prices', mode: 'dropped', times: 50 });
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const sale = { customerId: customer.id, priceId: price.id, currency: 'eur', automaticTax: false, ...urls };
  expect(await other.call('POST', '/checkout', { body: sale })).toMatchObject({ status: 201 });
});

it('bills several prices together in a currency that all have', async () => {
  const { newPrice, sell } = await startSale(service);
  const { price: plan } = await newPrice(EUROS(2_750));
  const { price: setup } = await newPrice({ recurring: false, unitAmount: 1_000, ...EUROS(900) });
  const { price: dollars } = await newPrice({ recurring: false, unitAmount: 500 });
  const items = [{ priceId: plan.id }, { priceId: setup.id }];
  const refused = await sell({ items: [...items, { priceId: dollars.id }], currency: 'eur' });
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'currency_mismatch' } } });
  const { status, body } = await sell({ items, currency: 'eur' });
  expect({ status, invoice: body.invoice }).toMatchObject({ status: 201, invoice: { currency: 'eur', total: 3_650 } });
});

it('shows a subscription with the amounts of its currency, before and after its events', async () => {
  const { subscription, invoice, get, deliver } = await subscribeInEuros();
  const items = [{ unitAmount: 2_750, currency: 'eur' }];
  expect(subscription).toMatchObject({ items });
  expect(invoice).toMatchObject({ currency: 'eur', total: 2_750 });
  await deliver();
  expect(await get()).toMatchObject({ items });
});

it('previews and makes a change to another price with the amounts of the subscription’s currency', async () => {
  const { newPrice, preview, change, get, deliver } = await subscribeInEuros();
  // In dollars it costs less than the other one, in euros more.
  const { price: other } = await newPrice({ unitAmount: 2_000, ...EUROS(4_000) });
  const wanted = { priceId: other.id, proration: 'none' };
  const previewed = await preview(wanted);
  expect(previewed).toMatchObject({
    status: 200,
    body: { preview: { direction: 'up', currency: 'eur', nextInvoice: { total: 4_000 } } },
  });
  const items = [{ priceId: other.id, unitAmount: 4_000, currency: 'eur' }];
  expect(await change(wanted)).toMatchObject({ status: 200, body: { subscription: { items } } });
  await deliver();
  expect(await get()).toMatchObject({ items });
});

it('refuses a change to a price without an amount in the subscription’s currency', async () => {
  const { newPrice, change, get, subscription } = await subscribeInEuros();
  const { price: other } = await newPrice({ unitAmount: 5_000 });
  const details = { subscription: 'eur', price: 'usd' };
  expect(await change({ priceId: other.id })).toMatchObject({
    status: 422,
    body: { error: { code: 'currency_mismatch', details } },
  });
  expect(await get()).toMatchObject({ items: subscription.items });
});

it('bills a one-time price with an invoice in any of its currencies', async () => {
  const { newPrice, scope, customer } = await startSale(service);
  const { price } = await newPrice({ recurring: false, unitAmount: 1_000, ...EUROS(900) });
  const bill = (currency?: string) =>
    service.call('POST', '/invoices', {
      of: scope,
      body: { customerId: customer.id, lines: [{ priceId: price.id }], collect: 'invoice', currency },
    });
  for (const [wanted, invoice] of [
    [undefined, { currency: 'usd', total: 1_000 }],
    ['eur', { currency: 'eur', total: 900 }],
  ] as const)
    expect(await bill(wanted)).toMatchObject({ status: 201, body: { invoice } });
  expect(await bill('gbp')).toMatchObject({ status: 422, body: { error: { code: 'currency_mismatch' } } });
});

it('migrates a subscription to a price with an amount in its currency, at that amount', async () => {
  const { subscribe, deliver, createPrice, create, findings } = await startMigration(service);
  const from = await createPrice({ unitAmount: 1_200, ...EUROS(1_100) });
  const to = await createPrice({ unitAmount: 1_500, ...EUROS(1_400) });
  const dollars = await createPrice({ unitAmount: 1_500 });
  const more = { currency: 'eur', items: [{ price: from.processorPriceId, quantity: 1 }] };
  const { id: subscriptionId } = await subscribe({ more });
  await deliver();
  const report = async (toPriceId: string) => {
    const { body } = await create({ mode: 'report', fromPriceId: from.id, toPriceId });
    await workOnMigrations(service);
    return findings(body.priceMigration.id);
  };
  const amounts = { subscriptionId, currency: 'eur', oldAmount: '1100' };
  expect(await report(to.id)).toMatchObject([{ ...amounts, outcome: 'to_change', newAmount: '1400' }]);
  expect(await report(dollars.id)).toMatchObject([{ ...amounts, outcome: 'skipped', reason: 'other_currency' }]);
});
