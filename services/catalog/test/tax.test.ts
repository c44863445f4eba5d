import { PriceUpdated } from '@billing/contracts/events/catalog';
import { CompareObjects } from '@billing/contracts/rpc/syncs';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCatalog } from './start-catalog.ts';

const refusedWith = (code: string) => ({ status: 422, body: { error: { code } } });

it('refuses a tax code that the processor does not have, with nothing changed', async () => {
  await using catalog = await startCatalog();
  const unknown = { name: 'Other', taxCode: 'txcd_12345678' };
  expect(await catalog.call('POST', '/products', { body: unknown })).toMatchObject(refusedWith('tax_code_invalid'));
  expect((await catalog.call('GET', '/products')).body.products).toEqual([]);

  const product = await catalog.createProduct({ name: 'Pro', taxCode: 'txcd_10103001' });
  const at = `/products/${product.id}`;
  expect(await catalog.call('PATCH', at, { body: unknown })).toMatchObject(refusedWith('tax_code_invalid'));
  expect((await catalog.call('GET', at)).body).toEqual(product);
  expect(await catalog.call('PATCH', at, { body: { taxCode: 'books' } })).toMatchObject({ status: 400 });
  expect(await catalog.openOperations()).toEqual([]);
});

it('sets the tax behavior of a price once', async () => {
  await using catalog = await startCatalog();
  const { id: productId } = await catalog.createProduct();
  const { id, processorPriceId } = await catalog.createPrice(productId);
  const set = (taxBehavior: string) => catalog.call('PATCH', `/prices/${id}`, { body: { taxBehavior } });
  for (const repeated of ['exclusive', 'exclusive'])
    expect(await set(repeated)).toMatchObject({ status: 200, body: { price: { taxBehavior: 'exclusive' } } });
  for (const other of ['inclusive', 'unspecified'])
    expect(await set(other)).toMatchObject(refusedWith('tax_behavior_set'));
  expect(await catalog.processor.findPrice(processorPriceId)).toMatchObject({ taxBehavior: 'exclusive' });
  expect(await catalog.published(PriceUpdated)).toMatchObject([{ data: { id, taxBehavior: 'exclusive', version: 2 } }]);
  expect(await catalog.openOperations()).toEqual([]);
});

it('refuses another tax behavior than the processor has, with nothing changed', async () => {
  await using catalog = await startCatalog();
  const { id: productId, processorProductId } = await catalog.createProduct();
  const { id, processorPriceId } = await catalog.createPrice(productId);
  await catalog.dashboard.products.update(processorProductId, { default_price: processorPriceId });
  await catalog.dashboard.prices.update(processorPriceId, { tax_behavior: 'inclusive' });
  const body = { taxBehavior: 'exclusive', isActive: false };
  expect(await catalog.call('PATCH', `/prices/${id}`, { body })).toMatchObject(refusedWith('tax_behavior_set'));
  expect(await catalog.processor.findProduct(processorProductId)).toMatchObject({ defaultPriceId: processorPriceId });
  const unchanged = { taxBehavior: 'unspecified', isActive: true };
  expect((await catalog.call('GET', `/prices/${id}`)).body).toMatchObject(unchanged);
  expect(await catalog.openOperations()).toEqual([]);
});

it('takes the tax behavior that the processor has, in any order of events', async () => {
  await using catalog = await startCatalog();
  const { processorProductId } = await catalog.createProduct();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('inclusive', 'exclusive'), fc.infiniteStream(fc.nat()), async (theirs, picks) => {
      const amount = { product: processorProductId, currency: 'usd', unit_amount: 5 };
      const { id } = await catalog.dashboard.prices.create(amount);
      await catalog.dashboard.prices.update(id, { metadata: { a: '1' } });
      await catalog.dashboard.prices.update(id, { tax_behavior: theirs });
      const events = (await catalog.events('price.created', 'price.updated')).filter(({ data }) =>
        JSON.stringify(data).includes(id),
      );
      const waiting = [...events, ...events];
      expect(waiting).toHaveLength(6);
      for (const pick of picks) {
        if (waiting.length === 0) break;
        await catalog.deliver(...waiting.splice(pick % waiting.length, 1));
      }
      const { prices } = (await catalog.call('GET', '/prices')).body;
      expect(prices[0]).toMatchObject({ processorPriceId: id, taxBehavior: theirs });
    }),
    { numRuns: runs(5) },
  );
});

it('finds by a sync that the processor has another tax behavior, and takes it', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const { id: productId } = await catalog.createProduct();
  const { id, processorPriceId } = await catalog.createPrice(productId);
  const compare = async () => {
    const { objects } = await catalog.processor.listObjects('price');
    return catalog.rpc.call(CompareObjects.catalog, { ...catalog.scope, type: 'price', objects: [...objects] });
  };
  await catalog.control.advanceClock(2);
  await catalog.dashboard.prices.update(processorPriceId, { tax_behavior: 'inclusive' });
  const fields = [{ field: 'taxBehavior', ours: 'unspecified', theirs: 'inclusive' }];
  expect(await compare()).toMatchObject([{ outcome: 'different', id, fields }]);
  await catalog.deliver(...(await catalog.synced('price')));
  expect(await compare()).toMatchObject([{ outcome: 'same', id }]);
});
