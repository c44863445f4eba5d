import { CompareObjects } from '@billing/contracts/rpc/syncs';
import { deliveredAgain } from '@billing/testing/processor-events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

/** Shows what callers see of the catalog, but for when our records were made. */
async function shown(catalog: Catalog) {
  const of = { createdAt: null };
  const list = async (path: string, name: string): Promise<Record<string, unknown>[]> =>
    ((await catalog.call('GET', path)).body[name] as object[]).map(record => ({ ...record, ...of }));
  const byId = (records: readonly Record<string, unknown>[]) =>
    records.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
  return {
    products: byId(await list('/products', 'products')),
    prices: byId(await list('/prices', 'prices')),
    coupons: byId(await list('/coupons', 'coupons')),
    codes: byId(await list('/promotion-codes', 'promotionCodes')),
  };
}

/** Makes a coupon with a code and a product under ids of their own, `count` times one after the other. */
async function makeLives({ dashboard, scope, control }: Catalog, count: number): Promise<void> {
  const metadata = { ...scope };
  for (let life = 1; life <= count; life += 1) {
    await dashboard.coupons.create({ id: 'SAVE10', percent_off: 10 * life, duration: 'once', name: 'a', metadata });
    await dashboard.products.create({ id: 'gold', name: `Gold ${life}`, metadata });
    await control.advanceClock(2);
    const promotion = { type: 'coupon', coupon: 'SAVE10' } as const;
    await dashboard.promotionCodes.create({ promotion, code: `CODE${life}` });
    await dashboard.coupons.update('SAVE10', { name: `Life ${life}` });
    await dashboard.products.update('gold', { description: `Life ${life}` });
    if (life === count) return;
    await control.advanceClock(2);
    await dashboard.coupons.del('SAVE10');
    await dashboard.products.del('gold');
    // The next life may begin in the second in which this one ended.
    await control.advanceClock(life % 2);
  }
}

it('follows every life of an id, in any order of events, twice', async () => {
  const order = fc.record({
    lives: fc.integer({ min: 2, max: 3 }),
    seed: fc.array(fc.nat(), { minLength: 80, maxLength: 80 }),
  });
  await fc.assert(
    fc.asyncProperty(order, async ({ lives, seed }) => {
      await using catalog = await startCatalog();
      await makeLives(catalog, lives);
      const events = await catalog.events();
      const handled = events.filter(({ type }) => /\.(coupon|product|promotion_code)\./.test(type));
      const sent = [...handled, ...handled.map(event => deliveredAgain(event))];
      const shuffled = sent
        .map((event, index) => ({ event, place: seed[index] ?? index }))
        .toSorted((a, b) => a.place - b.place);
      for (const { event } of shuffled) await catalog.deliver(event);

      const { products, coupons, codes } = await shown(catalog);
      const [coupon, ...otherCoupons] = coupons;
      expect([otherCoupons, coupon]).toMatchObject([[], { percentOff: 10 * lives, name: `Life ${lives}` }]);
      expect(products).toMatchObject([{ name: `Gold ${lives}`, description: `Life ${lives}` }]);
      const own = codes.filter(({ couponId }) => couponId === coupon?.['id']);
      expect(own).toMatchObject([{ code: `CODE${lives}`, isActive: true }]);
      expect(codes.filter(({ isActive }) => isActive)).toEqual(own);
    }),
    { numRuns: runs(8) },
  );
});

it('takes the second life of an unmarked coupon by a sync, whose code is found then', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const { dashboard, control, scope } = catalog;
  await dashboard.coupons.create({ id: 'SAVE10', percent_off: 10, duration: 'once' });
  await catalog.deliver(...(await catalog.synced('coupon')));
  const [first] = (await shown(catalog)).coupons;
  await control.advanceClock(5);
  await dashboard.coupons.del('SAVE10');
  const [deletion] = await catalog.events('coupon.deleted');
  await control.advanceClock(5);
  await dashboard.coupons.create({ id: 'SAVE10', percent_off: 30, duration: 'once' });
  const promotion = { type: 'coupon', coupon: 'SAVE10' } as const;
  await dashboard.promotionCodes.create({ promotion, code: 'AGAIN' });
  const { objects } = await catalog.processor.listObjects('coupon');
  const request = { ...scope, type: 'coupon' as const, objects: [...objects] };
  expect(await catalog.rpc.call(CompareObjects.catalog, request)).toMatchObject([{ outcome: 'missing', id: null }]);
  await catalog.deliver(...(await catalog.synced('coupon')), ...(await catalog.synced('promotion_code')));
  if (deletion) await catalog.deliver(deletion);

  const { coupons, codes } = await shown(catalog);
  expect(coupons).toMatchObject([{ percentOff: 30 }]);
  expect(coupons[0]?.['id']).not.toBe(first?.['id']);
  expect(codes).toMatchObject([{ code: 'AGAIN', couponId: coupons[0]?.['id'], isActive: true }]);
  expect(await catalog.findPromotionCode('AGAIN')).toMatchObject({ refusal: null });
  expect(await catalog.rpc.call(CompareObjects.catalog, request)).toMatchObject([{ outcome: 'same' }]);
});

it('deletes and changes nothing of another object that has the id by now', async () => {
  await using catalog = await startCatalog();
  const { dashboard, control, scope } = catalog;
  const metadata = { ...scope };
  await dashboard.coupons.create({ id: 'SAVE10', percent_off: 10, duration: 'once', metadata });
  await dashboard.products.create({ id: 'gold', name: 'Gold', metadata });
  await catalog.deliver(...(await catalog.events('coupon.created', 'product.created')));
  const { coupons, products } = await shown(catalog);
  await dashboard.coupons.del('SAVE10');
  await dashboard.products.del('gold');
  await control.advanceClock(5);
  await dashboard.coupons.create({ id: 'SAVE10', percent_off: 30, duration: 'once' });
  await dashboard.products.create({ id: 'gold', name: 'Other' });
  expect((await catalog.call('DELETE', `/coupons/${String(coupons[0]?.['id'])}`)).status).toBe(200);
  expect((await catalog.call('DELETE', `/products/${String(products[0]?.['id'])}`)).status).toBe(200);
  expect(await dashboard.coupons.retrieve('SAVE10')).toMatchObject({ percent_off: 30 });
  expect(await dashboard.products.retrieve('gold')).toMatchObject({ active: true });
});
