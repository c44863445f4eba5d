import { AuditRecorded } from '@billing/contracts/events/audit';
import { PriceCreated, PriceUpdated } from '@billing/contracts/events/catalog';
import { CompareObjects } from '@billing/contracts/rpc/syncs';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

const EUROS = { eur: { unitAmount: 2_799 } };
const POUNDS = { gbp: { unitAmount: 2_499 } };
const refusedIn = (currency: string) => ({
  status: 422,
  body: { error: { code: 'currency_amount_set', details: { currency } } },
});
const misplaced = { status: 400, body: { error: { details: { fields: [{ path: 'currencyOptions' }] } } } };

/** Creates a price of 29.99 usd, and returns how to change and read it. */
async function createIn(catalog: Catalog, currencyOptions: object, more: object = {}) {
  const { id: productId } = await catalog.createProduct();
  const { id, processorPriceId } = await catalog.createPrice(productId, { currencyOptions, ...more });
  const optionsOf = async () => {
    const { currency_options: options = {} } = await catalog.dashboard.prices.retrieve(processorPriceId, {
      expand: ['currency_options'],
    });
    return options;
  };
  return {
    id,
    processorPriceId,
    optionsOf,
    read: async () => (await catalog.call('GET', `/prices/${id}`)).body,
    change: (body: object) => catalog.call('PATCH', `/prices/${id}`, { body }),
  };
}

it('creates a price in several currencies, at the processor and here', async () => {
  await using catalog = await startCatalog();
  const price = await createIn(catalog, { ...EUROS, jpy: { unitAmount: 0 } }, { taxBehavior: 'exclusive' });
  const currencyOptions = { ...EUROS, jpy: { unitAmount: 0 } };
  expect(await price.read()).toMatchObject({ unitAmount: 2_999, currency: 'usd', currencyOptions });
  expect(await price.optionsOf()).toMatchObject({
    usd: { unit_amount: 2_999, tax_behavior: 'exclusive' },
    eur: { unit_amount: 2_799, tax_behavior: 'exclusive' },
    jpy: { unit_amount: 0, tax_behavior: 'exclusive' },
  });
  await catalog.deliver(...(await catalog.events('price.created')));
  expect(await price.read()).toMatchObject({ currencyOptions });
  expect(await catalog.published(PriceCreated)).toMatchObject([{ data: { currencyOptions } }]);
});

it('adds amounts in other currencies, and keeps those that there are', async () => {
  await using catalog = await startCatalog();
  const price = await createIn(catalog, EUROS);
  const both = { ...EUROS, ...POUNDS };
  for (const added of [POUNDS, both, EUROS, {}])
    expect(await price.change({ currencyOptions: added })).toMatchObject({
      status: 200,
      body: { price: { currencyOptions: both } },
    });
  expect(await price.optionsOf()).toMatchObject({ eur: { unit_amount: 2_799 }, gbp: { unit_amount: 2_499 } });
  expect(await catalog.published(PriceUpdated)).toMatchObject([
    { data: { currencyOptions: both, change: { previousAttributes: { currencyOptions: EUROS } } } },
  ]);
  const [entry] = (await catalog.published(AuditRecorded)).filter(({ data }) => data.action === 'updatePrice');
  const [from, to] = [JSON.stringify(EUROS), JSON.stringify(both)];
  expect(entry?.data.changes).toEqual([{ field: 'currencyOptions', from, to }]);
  await catalog.deliver(...(await catalog.events('price.created', 'price.updated')));
  expect(await price.read()).toMatchObject({ currencyOptions: both });
});

it('refuses another amount in a currency, and any in its own, with nothing changed', async () => {
  await using catalog = await startCatalog();
  const price = await createIn(catalog, EUROS);
  const before = await price.read();
  const other = { ...POUNDS, eur: { unitAmount: 2_800 } };
  expect(await price.change({ currencyOptions: other, isActive: false })).toMatchObject(refusedIn('eur'));
  expect(await price.change({ currencyOptions: { usd: { unitAmount: 2_999 } } })).toMatchObject(misplaced);
  expect(await price.read()).toEqual(before);
  expect(Object.keys(await price.optionsOf())).toEqual(['usd', 'eur']);
  const { id: productId } = await catalog.createProduct();
  const own = {
    productId,
    unitAmount: 1,
    currency: 'usd',
    interval: 'day',
    currencyOptions: { usd: { unitAmount: 1 } },
  };
  expect(await catalog.call('POST', '/prices', { body: own })).toMatchObject(misplaced);
  expect(await catalog.openOperations()).toEqual([]);
});

it('refuses another amount than only the processor has, with nothing changed', async () => {
  await using catalog = await startCatalog();
  const price = await createIn(catalog, {});
  await catalog.dashboard.prices.update(price.processorPriceId, { currency_options: { eur: { unit_amount: 2_700 } } });
  expect(await price.change({ currencyOptions: EUROS })).toMatchObject(refusedIn('eur'));
  expect(await price.optionsOf()).toMatchObject({ eur: { unit_amount: 2_700 } });
  expect(await price.read()).toMatchObject({ currencyOptions: {} });
  expect(await catalog.openOperations()).toEqual([]);
});

it('takes one of two amounts that are added at once in one currency', async () => {
  await using catalog = await startCatalog();
  const price = await createIn(catalog, {});
  const amounts = [2_700, 2_800, 2_900];
  const changes = await Promise.all(
    amounts.map(unitAmount => price.change({ currencyOptions: { eur: { unitAmount } } })),
  );
  expect(changes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422]);
  const unitAmount = amounts[changes.findIndex(({ status }) => status === 200)];
  expect(await price.optionsOf()).toMatchObject({ eur: { unit_amount: unitAmount } });
  expect(await price.read()).toMatchObject({ currencyOptions: { eur: { unitAmount } } });
});

it.each(['dropped', '500', 'done-but-response-lost', '500-but-done'] as const)(
  'adds an amount once although the first call fails by %s',
  async mode => {
    await using catalog = await startCatalog();
    const price = await createIn(catalog, {});
    await catalog.control.fail({ method: 'POST', path: `/v1/prices/${price.processorPriceId}`, mode, kept: false });
    expect(await price.change({ currencyOptions: EUROS })).toMatchObject({ status: 200 });
    expect(await price.read()).toMatchObject({ currencyOptions: EUROS });
    expect(await catalog.openOperations()).toEqual([]);
  },
);

it('gives all currencies the tax behavior that is set later', async () => {
  await using catalog = await startCatalog();
  const price = await createIn(catalog, EUROS);
  const both = { taxBehavior: 'inclusive', currencyOptions: POUNDS };
  expect(await price.change(both)).toMatchObject({ status: 200, body: { price: { taxBehavior: 'inclusive' } } });
  const inclusive = { tax_behavior: 'inclusive' };
  expect(await price.optionsOf()).toMatchObject({
    eur: { ...inclusive, unit_amount: 2_799 },
    gbp: { ...inclusive, unit_amount: 2_499 },
  });
  expect(await price.change({ currencyOptions: { chf: { unitAmount: 1 } } })).toMatchObject({ status: 200 });
  expect(await price.optionsOf()).toMatchObject({ chf: inclusive });
});

it('shows no amount for tiers and fractions of a cent', async () => {
  await using catalog = await startCatalog();
  const { processorProductId: product } = await catalog.createProduct();
  const tiers = [{ up_to: 'inf' as const, unit_amount: 5 }];
  const recurring = { interval: 'month' } as const;
  await catalog.dashboard.prices.create({
    product,
    currency: 'usd',
    recurring,
    billing_scheme: 'tiered',
    tiers_mode: 'volume',
    tiers,
    currency_options: { eur: { tiers } },
  });
  const currency_options = { eur: { unit_amount_decimal: '0.5' } };
  const fraction = { product, currency: 'usd', unit_amount: 1, currency_options };
  await catalog.dashboard.rawRequest('POST', '/v1/prices', fraction);
  await catalog.deliver(...(await catalog.events('price.created')));
  const none = { currencyOptions: { eur: { unitAmount: null } } };
  expect((await catalog.call('GET', '/prices')).body.prices).toMatchObject([none, none]);
});

it('has the amounts that were added at the processor, in any order of events', async () => {
  await using catalog = await startCatalog();
  const { processorProductId: product } = await catalog.createProduct();
  const orders = fc.infiniteStream(fc.nat());
  await fc.assert(
    fc.asyncProperty(fc.boolean(), orders, async (isNamed, picks) => {
      const amount = { product, currency: 'usd', unit_amount: 5 };
      const metadata = isNamed ? { season: 'spring' } : {};
      const { id } = await catalog.dashboard.prices.create({
        ...amount,
        currency_options: { eur: { unit_amount: 4 } },
      });
      await catalog.dashboard.prices.update(id, { metadata });
      await catalog.control.advanceClock(2);
      await catalog.dashboard.prices.update(id, { currency_options: { gbp: { unit_amount: 3 } } });
      const events = (await catalog.events('price.created', 'price.updated')).filter(({ data }) =>
        JSON.stringify(data).includes(id),
      );
      const waiting = [...events, ...events];
      for (const pick of picks) {
        if (waiting.length === 0) break;
        await catalog.deliver(...waiting.splice(pick % waiting.length, 1));
      }
      const { prices } = (await catalog.call('GET', '/prices')).body;
      const currencyOptions = { eur: { unitAmount: 4 }, gbp: { unitAmount: 3 } };
      expect(prices[0]).toMatchObject({ processorPriceId: id, currencyOptions, metadata });
    }),
    { numRuns: runs(6) },
  );
});

it('keeps its amounts when a late event comes that does not contain them', async () => {
  await using catalog = await startCatalog();
  const price = await createIn(catalog, EUROS);
  await catalog.control.advanceClock(2);
  await catalog.dashboard.prices.update(price.processorPriceId, { metadata: { season: 'spring' } });
  await price.change({ currencyOptions: POUNDS });
  const events = await catalog.events('price.created', 'price.updated');
  for (const event of events.toReversed()) await catalog.deliver(event);
  const currencyOptions = { ...EUROS, ...POUNDS };
  expect(await price.read()).toMatchObject({ currencyOptions, metadata: { season: 'spring' } });
});

it('finds by a sync which amounts the processor has, and takes them', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const price = await createIn(catalog, EUROS);
  await catalog.dashboard.prices.update(price.processorPriceId, { currency_options: { gbp: { unit_amount: 2_499 } } });
  const compare = async () => {
    const { objects } = await catalog.processor.listObjects('price');
    return catalog.rpc.call(CompareObjects.catalog, { ...catalog.scope, type: 'price', objects: [...objects] });
  };
  const currencyOptions = { ...EUROS, ...POUNDS };
  const fields = [{ field: 'currencyOptions', ours: EUROS, theirs: currencyOptions }];
  expect(await compare()).toMatchObject([{ outcome: 'different', id: price.id, fields }]);
  await catalog.control.advanceClock(2);
  await catalog.deliver(...(await catalog.synced('price')));
  expect(await price.read()).toMatchObject({ currencyOptions });
  expect(await compare()).toMatchObject([{ outcome: 'same', id: price.id }]);
});
