import { AuditRecorded } from '@billing/contracts/events/audit';
import { PriceCreated } from '@billing/contracts/events/catalog';
import { expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

const shown = { unitAmount: null, usageType: 'metered', unitAmountDecimal: '5', meter: 'api_calls' };

const create = async (catalog: Catalog, more: object = {}) => {
  const { id: productId } = await catalog.createProduct();
  const price = { productId, unitAmount: 5, currency: 'usd', interval: 'month', meter: 'api_calls', ...more };
  return catalog.call('POST', '/prices', { body: price });
};
const meters = async ({ dashboard }: Catalog) => (await dashboard.billing.meters.list()).data;

it('creates a metered price, and its meter if there is none', async () => {
  await using catalog = await startCatalog();
  const first = await create(catalog);
  expect(first).toMatchObject({ status: 201, body: { price: shown } });
  const second = await create(catalog, { key: 'calls' });
  expect(second).toMatchObject({ status: 201, body: { price: { ...shown, key: 'calls' } } });
  const [meter, ...others] = await meters(catalog);
  expect(meter).toMatchObject({ event_name: 'api_calls', default_aggregation: { formula: 'sum' } });
  expect(others).toEqual([]);
  for (const { body } of [first, second])
    expect(await catalog.dashboard.prices.retrieve(body.price.processorPriceId)).toMatchObject({
      unit_amount: 5,
      recurring: { usage_type: 'metered', meter: meter?.id },
    });
  expect(await catalog.published(PriceCreated)).toMatchObject([
    { data: { meter: 'api_calls', metered: true } },
    { data: { meter: 'api_calls', metered: true } },
  ]);
  const [entry] = (await catalog.published(AuditRecorded)).filter(({ data }) => data.action === 'createPrice');
  expect(entry?.data.changes).toContainEqual({ field: 'meter', from: null, to: 'api_calls' });
});

it('bills by a meter that was made in the dashboard', async () => {
  await using catalog = await startCatalog();
  const formula = { default_aggregation: { formula: 'count' as const } };
  const meter = await catalog.dashboard.billing.meters.create({
    display_name: 'Calls',
    event_name: 'api_calls',
    ...formula,
  });
  const { body } = await create(catalog);
  const { recurring } = await catalog.dashboard.prices.retrieve(body.price.processorPriceId);
  expect(recurring?.meter).toBe(meter.id);
});

it('shows the meter of a price that was made in the dashboard, also when it is archived', async () => {
  await using catalog = await startCatalog();
  const { processorProductId: product } = await catalog.createProduct();
  const { id: meter } = await catalog.dashboard.billing.meters.create({
    display_name: 'Calls',
    event_name: 'api_calls',
    default_aggregation: { formula: 'sum' },
  });
  const recurring = { interval: 'month', usage_type: 'metered', meter } as const;
  await catalog.dashboard.prices.create({ product, currency: 'usd', unit_amount: 5, recurring });
  await catalog.dashboard.billing.meters.deactivate(meter);
  await catalog.deliver(...(await catalog.events('price.created')));
  expect((await catalog.call('GET', '/prices')).body.prices).toMatchObject([shown]);
});

it('shows it when a sync brings the price', async () => {
  await using catalog = await startCatalog();
  const { processorProductId: product } = await catalog.createProduct();
  const { id: meter } = await catalog.dashboard.billing.meters.create({
    display_name: 'Calls',
    event_name: 'api_calls',
    default_aggregation: { formula: 'sum' },
  });
  const recurring = { interval: 'month', usage_type: 'metered', meter } as const;
  await catalog.dashboard.prices.create({ product, currency: 'usd', unit_amount: 5, recurring });
  await catalog.deliver(...(await catalog.synced('price')));
  expect((await catalog.call('GET', '/prices')).body.prices).toMatchObject([shown]);
});

it('creates one price and one meter when responses are lost', async () => {
  await using catalog = await startCatalog();
  await catalog.control.fail({ path: '/v1/billing/meters', method: 'POST', mode: 'done-but-response-lost', times: 2 });
  await catalog.control.fail({ path: '/v1/prices', method: 'POST', mode: 'done-but-response-lost', times: 2 });
  expect(await create(catalog)).toMatchObject({ status: 201, body: { price: shown } });
  expect(await meters(catalog)).toHaveLength(1);
  expect((await catalog.dashboard.prices.list()).data).toHaveLength(1);
});

it('takes no meter for what is billed once', async () => {
  await using catalog = await startCatalog();
  expect(await create(catalog, { type: 'one_time', interval: null })).toMatchObject({
    status: 400,
    body: { error: { details: { fields: [{ path: 'meter' }] } } },
  });
  expect(await meters(catalog)).toEqual([]);
});
