import { CouponSaved, PromotionCodeSaved } from '@billing/contracts/events/discounts';
import { FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { routedEvent } from '@billing/testing/processor-events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

const couponsOf = async (catalog: Catalog) => (await catalog.call('GET', '/coupons')).body.coupons;
const codesOf = async (catalog: Catalog) => (await catalog.call('GET', '/promotion-codes')).body.promotionCodes;

it('mirrors coupons and codes made at the processor that name the project, and no others', async () => {
  await using catalog = await startCatalog();
  await catalog.serve(FindCustomersByProcessorId, async () => []);
  const { dashboard, scope } = catalog;
  const product = await catalog.createProduct();
  const metadata = { projectId: scope.projectId, season: 'spring' };
  const limits = { applies_to: { products: [product.processorProductId] } };
  const marked = await dashboard.coupons.create({
    percent_off: 12.5,
    duration: 'once',
    name: 'Marked',
    metadata,
    ...limits,
  });
  const unmarked = await dashboard.coupons.create({ percent_off: 50, duration: 'once' });
  const promotion = { type: 'coupon', coupon: marked.id } as const;
  await dashboard.promotionCodes.create({ promotion, code: 'MARKED' });
  await dashboard.promotionCodes.create({ promotion: { ...promotion, coupon: unmarked.id }, code: 'UNMARKED' });
  const { id: customer } = await dashboard.customers.create({ email: 'eve@example.com' });
  await dashboard.promotionCodes.create({ promotion, code: 'HERS', customer });
  // The codes come first: what they belong to comes with them.
  const events = (await catalog.events('promotion_code.created', 'coupon.created')).toReversed();
  for (const event of [...events, ...events]) await catalog.deliver(event);

  const [coupon, ...others] = await couponsOf(catalog);
  expect(others).toEqual([]);
  expect(coupon).toMatchObject({ processorCouponId: marked.id, percentOff: 12.5, productIds: [product.id] });
  expect(await codesOf(catalog)).toMatchObject([{ code: 'MARKED', couponId: coupon.id, customerId: null }]);
  expect(await catalog.published(CouponSaved)).toHaveLength(1);
  expect(await catalog.published(PromotionCodeSaved)).toHaveLength(1);
});

it('mirrors the amounts in other currencies, which no event contains, and takes those that were added by a sync', async () => {
  await using catalog = await startCatalog();
  const { dashboard, scope } = catalog;
  const { id } = await dashboard.coupons.create({
    amount_off: 500,
    currency: 'usd',
    currency_options: { eur: { amount_off: 450 } },
    duration: 'forever',
    metadata: { projectId: scope.projectId },
  });
  const restrictions = {
    minimum_amount: 1_000,
    minimum_amount_currency: 'usd',
    currency_options: { eur: { minimum_amount: 900 } },
  };
  await dashboard.promotionCodes.create({ promotion: { type: 'coupon', coupon: id }, code: 'SPRING', restrictions });
  const events = await catalog.events('coupon.created', 'promotion_code.created');
  for (const event of [...events, ...events]) await catalog.deliver(event);
  expect(await couponsOf(catalog)).toMatchObject([{ amountOff: 500, currencyOptions: { eur: 450 } }]);
  expect(await codesOf(catalog)).toMatchObject([{ minimumAmount: 1_000, currencyOptions: { eur: 900 } }]);

  await dashboard.coupons.update(id, { currency_options: { gbp: { amount_off: 400 } } });
  const { object } = await catalog.processor.findListed('coupon', id);
  if (!object) throw new Error(`There is no ${id}.`);
  await catalog.run();
  const compare = () => catalog.rpc.call(CompareObjects.catalog, { ...scope, type: 'coupon', objects: [object] });
  expect(await compare()).toMatchObject([{ fields: [{ field: 'currencyOptions' }] }]);
  await catalog.deliver(routedEvent(scope, 'coupon.updated', object));
  expect(await couponsOf(catalog)).toMatchObject([{ currencyOptions: { eur: 450, gbp: 400 } }]);
});

it('reaches the same state in any order of delivery, and a deletion is final', async () => {
  await using catalog = await startCatalog();
  const { dashboard, scope } = catalog;
  const coupon = await dashboard.coupons.create({
    percent_off: 20,
    duration: 'forever',
    name: 'v1',
    metadata: { ...scope },
  });
  const promotion = { type: 'coupon', coupon: coupon.id } as const;
  const code = await dashboard.promotionCodes.create({ promotion, code: 'SPRING' });
  const { id: customer } = await dashboard.customers.create({ email: 'ada@example.com' });
  const { id: product } = await dashboard.products.create({ name: 'Foreign' });
  await catalog.redeem(code.id, { customer, product });
  await catalog.control.advanceClock(2);
  await dashboard.coupons.update(coupon.id, { name: 'v2' });
  await dashboard.coupons.update(coupon.id, { name: 'v3' });
  await dashboard.promotionCodes.update(code.id, { active: false });
  const events = await catalog.events(
    'coupon.created',
    'coupon.updated',
    'promotion_code.created',
    'promotion_code.updated',
  );
  expect(events.map(({ type }) => type)).toEqual([
    'processor.coupon.created.v1',
    'processor.promotion_code.created.v1',
    'processor.coupon.updated.v1',
    'processor.promotion_code.updated.v1',
    'processor.coupon.updated.v1',
    'processor.coupon.updated.v1',
    'processor.promotion_code.updated.v1',
  ]);
  const forget = async () => {
    for (const table of ['processed_events', 'promotion_codes', 'coupons'])
      await catalog.em.fork().execute(`delete from ${table}`);
  };
  const order = fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 });
  await fc.assert(
    fc.asyncProperty(order, fc.integer({ min: 1, max: 8 }), async (shuffled, groupSize) => {
      await forget();
      const groups = Map.groupBy(shuffled, (_, index) => Math.floor(index / groupSize));
      for (const group of groups.values()) await catalog.deliver(...group);
      expect(await couponsOf(catalog)).toMatchObject([{ name: 'v3', timesRedeemed: 1 }]);
      expect(await codesOf(catalog)).toMatchObject([{ isActive: false, timesRedeemed: 1 }]);
    }),
    { numRuns: runs(6) },
  );

  await dashboard.coupons.del(coupon.id);
  await forget();
  for (const event of [...(await catalog.events('coupon.deleted')), ...events]) await catalog.deliver(event);
  expect(await couponsOf(catalog)).toEqual([]);
  expect(await codesOf(catalog)).toEqual([]);
});

it('takes numbers beyond 32 bits', async () => {
  await using catalog = await startCatalog();
  const { dashboard, scope } = catalog;
  const coupon = await dashboard.coupons.create({ percent_off: 20, duration: 'once', metadata: { ...scope } });
  const code = await dashboard.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id } });
  const counts = { max_redemptions: 2 ** 40, times_redeemed: 2 ** 31 };
  // The coupon first: with a code it would be read at the processor.
  await catalog.deliver(routedEvent(scope, 'coupon.updated', { ...coupon, ...counts }));
  await catalog.deliver(routedEvent(scope, 'promotion_code.updated', { ...code, ...counts }));
  const shown = { maxRedemptions: 2 ** 40, timesRedeemed: 2 ** 31 };
  expect([await couponsOf(catalog), await codesOf(catalog)]).toMatchObject([[shown], [shown]]);
});

it('compares coupons and codes with those of the processor, and takes what a sync read', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const { dashboard, scope, processor, rpc } = catalog;
  const known = await catalog.createCoupon();
  const code = await catalog.createPromotionCode(known.id, { code: 'KNOWN' });
  await dashboard.coupons.update(known.processorCouponId, { name: 'Renamed' });
  await dashboard.promotionCodes.update(code.processorPromotionCodeId, { active: false });
  const { id } = await dashboard.coupons.create({ amount_off: 500, currency: 'usd', duration: 'forever', name: 'New' });
  await dashboard.promotionCodes.create({ promotion: { type: 'coupon', coupon: id }, code: 'NEW' });
  const compare = async (type: 'coupon' | 'promotion_code') => {
    const { objects } = await processor.listObjects(type);
    return rpc.call(CompareObjects.catalog, { ...scope, type, objects: [...objects] });
  };

  expect(await compare('coupon')).toMatchObject([
    { outcome: 'missing', id: null },
    { outcome: 'different', id: known.id, fields: [{ field: 'name', ours: 'Spring', theirs: 'Renamed' }] },
  ]);
  expect(await compare('promotion_code')).toMatchObject([
    { outcome: 'missing', id: null, hasParent: false },
    { outcome: 'different', id: code.id, fields: [{ field: 'isActive', ours: true, theirs: false }] },
  ]);
  const records = await rpc.call(ListLiveRecords.catalog, { ...scope, type: 'coupon', after: null, limit: 10 });
  expect(records).toEqual({ records: [{ id: known.id, processorId: known.processorCouponId }], next: null });
  const synced = [...(await catalog.synced('coupon')), ...(await catalog.synced('promotion_code'))];
  for (const event of synced) await catalog.deliver(event);
  for (const type of ['coupon', 'promotion_code'] as const)
    expect((await compare(type)).map(({ outcome }) => outcome)).toEqual(['same', 'same']);
});

it('finds a code that is limited to a product which the project took later', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const { dashboard, scope } = catalog;
  const sold = await dashboard.products.create({ name: 'Pro' });
  const limits = { applies_to: { products: [sold.id] }, metadata: { ...scope } };
  const { id: coupon } = await dashboard.coupons.create({ percent_off: 20, duration: 'once', ...limits });
  await dashboard.promotionCodes.create({ promotion: { type: 'coupon', coupon }, code: 'PRO' });
  for (const event of await catalog.events('coupon.created', 'promotion_code.created')) await catalog.deliver(event);
  expect(await couponsOf(catalog)).toMatchObject([{ productIds: [] }]);
  for (const event of await catalog.synced('product')) await catalog.deliver(event);
  const [{ id }] = (await catalog.call('GET', '/products')).body.products;
  expect(await catalog.findPromotionCode('PRO', { productIds: [id] })).toMatchObject({ refusal: null });
  expect((await catalog.findPromotionCode('PRO'))?.refusal).toBe('promotion_code_not_applicable');
});

it('finds the code for all behind a hundred of single customers', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const { id, processorCouponId: coupon } = await catalog.createCoupon();
  const code = await catalog.createPromotionCode(id, { code: 'BACK' });
  for (let count = 0; count < 100; count += 1) {
    const { id: customer } = await catalog.dashboard.customers.create({ email: `${count}@example.com` });
    await catalog.dashboard.promotionCodes.create({ promotion: { type: 'coupon', coupon }, code: 'BACK', customer });
  }
  expect(await catalog.findPromotionCode('back')).toMatchObject({ promotionCode: { id: code.id }, refusal: null });
});

it('creates one coupon and one code although responses are lost', async () => {
  await using catalog = await startCatalog();
  const coupons = { method: 'POST', path: '/v1/coupons' } as const;
  await catalog.control.fail({ ...coupons, mode: 'done-but-response-lost' });
  await catalog.control.fail({ ...coupons, mode: 'dropped', times: 20 });
  const body = { name: 'Spring', percentOff: 20, duration: 'once' };
  expect((await catalog.call('POST', '/coupons', { body })).status).toBe(503);
  expect(await couponsOf(catalog)).toEqual([]);
  // The event waits until the operation is finished: the coupon is there once.
  const [created] = await catalog.events('coupon.created');
  if (!created) throw new Error('The processor sent no event of the coupon.');
  await expect(catalog.deliver(created)).rejects.toThrow('did not acknowledge');
  await catalog.control.clearFaults();
  await catalog.endLeases();
  await catalog.reconcile();
  await catalog.deliver(created);
  const [coupon, ...others] = await couponsOf(catalog);
  expect(others).toEqual([]);
  await catalog.control.fail({ method: 'POST', path: '/v1/promotion_codes', mode: 'done-but-response-lost' });
  await catalog.createPromotionCode(coupon.id, { code: 'ONCE' });
  expect(await catalog.processor.listPromotionCodes('ONCE')).toHaveLength(1);
  expect(await catalog.openOperations()).toEqual([]);
});
