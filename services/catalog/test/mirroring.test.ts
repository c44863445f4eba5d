import { startTestService } from '@billing/service/testing/start-test-service';
import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { ProjectId } from '@billing/contracts/ids';
import { ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { CompareObjects } from '@billing/contracts/rpc/syncs';
import { completionsIn, deliveredAgain } from '@billing/testing/processor-events';
import { expect, it } from 'vitest';
import { catalogService } from '../src/service.ts';
import { startCatalog, type Catalog } from './start-catalog.ts';

it('mirrors a product and its prices created at the processor', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  await makeInDashboard(catalog);
  await catalog.emit(...(await catalog.events()));
  const { products } = (await catalog.call('GET', '/products')).body;
  expect(products).toMatchObject([
    { name: 'Made by hand', description: 'x', unitLabel: 'seat', metadata: { origin: 'dashboard' } },
  ]);
  expect((await catalog.call('GET', `/prices?productId=${products[0].id}`)).body.prices).toMatchObject([
    { unitAmount: 900, currency: 'usd', type: 'recurring', interval: 'week', intervalCount: 2 },
  ]);
  expect(await catalog.published(ProductCreated)).toHaveLength(1);
  expect(await catalog.published(PriceCreated)).toHaveLength(1);
});

it('mirrors a price that arrives before its product, with the product', async () => {
  await using catalog = await startCatalog();
  await makeInDashboard(catalog);
  for (const event of (await catalog.events()).toReversed()) await catalog.deliver(event);
  expect((await catalog.call('GET', '/products')).body.products).toMatchObject([{ name: 'Made by hand' }]);
  expect((await catalog.call('GET', '/prices')).body.prices).toHaveLength(1);
  expect(await catalog.published(ProductCreated)).toHaveLength(1);
});

it('mirrors at the first attempt when two copies receive the same object', async () => {
  await using catalog = await startCatalog();
  await using copy = await startTestService(catalogService(), { besides: catalog });
  for (let index = 0; index < 5; index += 1) await makeInDashboard(catalog);
  for (const event of await catalog.events())
    await Promise.all([catalog.deliver(event), copy.deliver(deliveredAgain(event))]);
  expect(await catalog.published(ProductCreated)).toHaveLength(5);
  expect(await catalog.published(PriceCreated)).toHaveLength(5);
  const completions = completionsIn(await catalog.published(ProcessorEventCompleted));
  expect(completions.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => 1));
});

it.each([
  ['name', { name: 'Team' }, 'Pro', 'Team'],
  ['description', { description: '' }, 'For teams', null],
  ['unitLabel', { unit_label: 'user' }, 'seat', 'user'],
  ['taxCode', { tax_code: 'txcd_10103001' }, null, 'txcd_10103001'],
  ['isActive', { active: false }, true, false],
  ['metadata', { metadata: { tier: 'team' } }, { tier: 'pro' }, { tier: 'team' }],
] as const)('finds by a sync that the processor has another %s, and takes it', async (field, change, ours, theirs) => {
  await using catalog = await startCatalog();
  await catalog.run();
  const texts = { name: 'Pro', description: 'For teams', unitLabel: 'seat' };
  const { id, processorProductId } = await catalog.createProduct({ ...texts, metadata: { tier: 'pro' } });
  const compare = async () => {
    const { objects } = await catalog.processor.listObjects('product');
    return catalog.rpc.call(CompareObjects.catalog, { ...catalog.scope, type: 'product', objects: [...objects] });
  };
  expect(await compare()).toMatchObject([{ outcome: 'same', id }]);
  await catalog.control.advanceClock(2);
  await catalog.dashboard.products.update(processorProductId, change);
  expect(await compare()).toMatchObject([{ outcome: 'different', id, fields: [{ field, ours, theirs }] }]);
  for (const event of await catalog.synced('product')) await catalog.deliver(event);
  expect(await compare()).toMatchObject([{ outcome: 'same', id }]);
});

it.each([
  [
    'tiers',
    { unit_amount: null, unit_amount_decimal: null, billing_scheme: 'tiered' },
    { billingScheme: 'tiered', usageType: 'licensed', unitAmountDecimal: null },
  ],
  [
    'a decimal amount',
    { unit_amount: null, unit_amount_decimal: '0.05' },
    { billingScheme: 'per_unit', usageType: 'licensed', unitAmountDecimal: '0.05' },
  ],
  [
    'an amount by usage',
    { recurring: { interval: 'month', interval_count: 1, usage_type: 'metered' } },
    { billingScheme: 'per_unit', usageType: 'metered', unitAmountDecimal: '5' },
  ],
])('shows a price with %s as what it is', async (_name, changes, shown) => {
  await using catalog = await startCatalog();
  const { processorProductId } = await catalog.createProduct();
  const wholeAmount = { product: processorProductId, currency: 'usd', unit_amount: 5 };
  await catalog.dashboard.prices.create(wholeAmount);
  const [event] = await catalog.events('price.created');
  if (!event) throw new Error('The processor sent no event of the price.');
  const data = event.data as { object: object };
  await catalog.deliver({ ...event, data: { ...data, object: { ...data.object, ...changes } } });
  const { prices } = (await catalog.call('GET', '/prices')).body;
  expect(prices).toMatchObject([{ unitAmount: null, ...shown }]);
  expect((await catalog.call('GET', `/prices/${prices[0].id}`)).body).toEqual(prices[0]);
  const { usageType: _, ...published } = shown;
  expect(await catalog.published(PriceCreated)).toMatchObject([{ data: published }]);
});

it('shows a whole amount alone', async () => {
  await using catalog = await startCatalog();
  const { id: productId } = await catalog.createProduct();
  const { id } = await catalog.createPrice(productId);
  const shown = (await catalog.call('GET', `/prices/${id}`)).body;
  expect(shown).toMatchObject({ unitAmount: 2_999 });
  expect(shown).not.toHaveProperty('unitAmountDecimal');
});

it('ignores products of other projects', async () => {
  await using catalog = await startCatalog();
  const metadata = { projectId: ProjectId.create() };
  const product = await catalog.dashboard.products.create({ name: 'Theirs', metadata });
  await catalog.dashboard.prices.create({ product: product.id, currency: 'usd', unit_amount: 5 });
  await catalog.deliver(...(await catalog.events()));
  expect((await catalog.call('GET', '/products')).body.products).toEqual([]);
  expect((await catalog.call('GET', '/prices')).body.prices).toEqual([]);
  expect(completionsIn(await catalog.published(ProcessorEventCompleted))).toMatchObject([
    { outcome: 'processed' },
    { outcome: 'processed' },
  ]);
});

async function makeInDashboard({ dashboard, scope: { projectId } }: Catalog): Promise<void> {
  const metadata = { projectId, origin: 'dashboard' };
  const product = await dashboard.products.create({
    name: 'Made by hand',
    description: 'x',
    unit_label: 'seat',
    metadata,
  });
  const recurring = { interval: 'week', interval_count: 2 } as const;
  await dashboard.prices.create({ product: product.id, currency: 'usd', unit_amount: 900, recurring });
}
