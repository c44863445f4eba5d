import { AuditRecorded } from '@billing/contracts/events/audit';
import { CustomerId, ProductId, ProjectId, PromotionCodeId, type ProjectScope } from '@billing/contracts/ids';
import { CouponSaved, PromotionCodeSaved } from '@billing/contracts/events/discounts';
import { FindCustomer, FindCustomersByProcessorId, FindStoredPromotionCode } from '@billing/contracts/rpc/calls';
import { customerState } from '@billing/testing/customer-state';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

const COUPON = { name: 'Spring', percentOff: 20, duration: 'repeating', durationInMonths: 3 };
const NEXT_YEAR = new Date().getUTCFullYear() + 1;

it('creates a coupon at the processor, shows it, and publishes its whole state', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const limits = { productIds: [product.id], maxRedemptions: 10, redeemBy: `${NEXT_YEAR}-01-01T00:00:00.900Z` };
  const created = await catalog.call('POST', '/coupons', { body: { ...COUPON, ...limits } });
  expect(created.status).toBe(201);
  const { coupon } = created.body;
  expect(coupon).toMatchObject({
    ...COUPON,
    ...limits,
    redeemBy: `${NEXT_YEAR}-01-01T00:00:00.000Z`,
    amountOff: null,
    currency: null,
    timesRedeemed: 0,
    isValid: true,
  });
  expect((await catalog.call('GET', `/coupons/${coupon.id}`)).body).toEqual({ coupon });
  expect((await catalog.call('GET', '/coupons')).body.coupons).toEqual([coupon]);
  const there = await catalog.processor.findCoupon(coupon.processorCouponId);
  expect(there).toMatchObject({ percentOff: 20, durationInMonths: 3, maxRedemptions: 10 });
  expect(there.productIds).toEqual([product.processorProductId]);
  expect(there.metadata).toMatchObject({ ...catalog.scope });
  expect(await catalog.published(CouponSaved)).toMatchObject([
    { data: { id: coupon.id, percentOff: 20, productIds: [product.id], version: 1, deletedAt: null } },
  ]);
  // The event about it says nothing new.
  await catalog.deliver(...(await catalog.events('coupon.created')));
  expect(await catalog.published(CouponSaved)).toHaveLength(1);
});

it('creates a coupon and a code with amounts in several currencies', async () => {
  await using catalog = await startCatalog();
  const off = { percentOff: undefined, amountOff: 500, currency: 'usd', currencyOptions: { eur: 450, jpy: 700 } };
  const coupon = await catalog.createCoupon(off);
  expect(coupon).toMatchObject({ amountOff: 500, currency: 'usd', currencyOptions: { eur: 450, jpy: 700 } });
  const minimum = { minimumAmount: 1_000, currency: 'usd', currencyOptions: { eur: 900 } };
  const code = await catalog.createPromotionCode(coupon.id, minimum);
  expect(code).toMatchObject(minimum);
  const there = await catalog.processor.findCoupon(coupon.processorCouponId);
  expect(Object.fromEntries(there.currencyOptions ?? [])).toEqual({ usd: 500, eur: 450, jpy: 700 });
  const codeThere = await catalog.processor.findPromotionCode(code.processorPromotionCodeId);
  expect(Object.fromEntries(codeThere.currencyOptions ?? [])).toEqual({ usd: 1_000, eur: 900 });
  // Events do not contain them.
  await catalog.deliver(...(await catalog.events('coupon.created', 'promotion_code.created')));
  expect((await catalog.call('GET', `/coupons/${coupon.id}`)).body.coupon).toEqual(coupon);
  expect((await catalog.call('GET', `/promotion-codes/${code.id}`)).body.promotionCode).toEqual(code);
});

it('deletes a coupon, and audits that, although the processor’s event about it comes first', async () => {
  await using catalog = await startCatalog();
  const { id, processorCouponId } = await catalog.createCoupon();
  await catalog.control.fail({ method: 'DELETE', path: '/v1/coupons/', mode: 'held' });
  const deleted = catalog.call('DELETE', `/coupons/${id}`);
  await waitFor(async () => (await catalog.openOperations()).length === 1, { what: 'the operation to be logged' });
  await catalog.dashboard.coupons.del(processorCouponId);
  await catalog.deliver(...(await catalog.events('coupon.deleted')));
  await catalog.control.clearFaults();
  expect((await deleted).body).toEqual({ success: true });
  const audited = await catalog.published(AuditRecorded);
  expect(audited.filter(({ data }) => data.action === 'deleteCoupon')).toHaveLength(1);
  expect(await catalog.published(CouponSaved)).toHaveLength(2);
});

it('deletes a coupon at the processor too; its codes cannot be redeemed any more', async () => {
  await using catalog = await startCatalog();
  const coupon = await catalog.createCoupon({ percentOff: undefined, amountOff: 500, currency: 'usd' });
  const code = await catalog.createPromotionCode(coupon.id, { code: 'Spring20' });
  expect((await catalog.call('DELETE', `/coupons/${coupon.id}`)).body).toEqual({ success: true });
  await catalog.deliver(...(await catalog.events('coupon.deleted')));
  expect((await catalog.call('GET', `/coupons/${coupon.id}`)).body.error.code).toBe('coupon_not_found');
  expect((await catalog.call('DELETE', `/coupons/${coupon.id}`)).status).toBe(404);
  const { promotionCode } = (await catalog.call('GET', `/promotion-codes/${code.id}`)).body;
  expect(promotionCode).toEqual({ ...code, isActive: false });
  const back = await catalog.call('PATCH', `/promotion-codes/${code.id}`, { body: { isActive: true } });
  expect([back.status, back.body.error?.code]).toEqual([422, 'coupon_not_valid']);
  await expect(catalog.processor.findCoupon(coupon.processorCouponId)).rejects.toThrow('No such coupon');
  const published = await catalog.published(CouponSaved);
  expect(published.map(({ data }) => [data.version, data.deletedAt !== null])).toEqual([
    [1, false],
    [2, true],
  ]);
});

it('creates a promotion code, finds it in any case, and deactivates it', async () => {
  await using catalog = await startCatalog();
  const { id: customerId } = await serveCustomer(catalog);
  const coupon = await catalog.createCoupon();
  const limits = {
    customerId,
    maxRedemptions: 5,
    expiresAt: '2100-01-01T00:00:00.000Z',
    firstTimeOnly: true,
    minimumAmount: 1_000,
    currency: 'usd',
  };
  const created = await catalog.call('POST', '/promotion-codes', {
    body: { couponId: coupon.id, code: 'Spring-20', ...limits },
  });
  expect(created.status).toBe(201);
  const { promotionCode } = created.body;
  expect(promotionCode).toMatchObject({ couponId: coupon.id, code: 'Spring-20', isActive: true, ...limits });
  expect((await catalog.call('GET', '/promotion-codes?code=sPRING-20')).body.promotionCodes).toEqual([promotionCode]);
  expect((await catalog.call('GET', '/promotion-codes?code=spring')).body.promotionCodes).toEqual([]);

  const path = `/promotion-codes/${promotionCode.id}`;
  const off = await catalog.call('PATCH', path, { body: { isActive: false } });
  expect(off.body.promotionCode).toEqual({ ...promotionCode, isActive: false });
  expect((await catalog.processor.findPromotionCode(promotionCode.processorPromotionCodeId)).isActive).toBe(false);
  await catalog.deliver(...(await catalog.events('promotion_code.created', 'promotion_code.updated')));
  expect((await catalog.call('GET', path)).body).toEqual(off.body);
  expect(await catalog.published(PromotionCodeSaved)).toMatchObject([
    { data: { code: 'Spring-20', isActive: true, version: 1 } },
    { data: { isActive: false, version: 2 } },
  ]);
});

it('lets the processor choose a code, and says which code is taken and which coupon is used up', async () => {
  await using catalog = await startCatalog();
  const coupon = await catalog.createCoupon();
  const [first, chosen] = [
    await catalog.createPromotionCode(coupon.id, { code: 'TAKEN' }),
    await catalog.createPromotionCode(coupon.id),
  ];
  expect(chosen.code).toMatch(/^[A-Z0-9]+$/);
  const again = await catalog.call('POST', '/promotion-codes', { body: { couponId: coupon.id, code: 'taken' } });
  expect([again.status, again.body.error.code]).toEqual([409, 'promotion_code_taken']);
  await catalog.call('PATCH', `/promotion-codes/${first.id}`, { body: { isActive: false } });
  expect((await catalog.createPromotionCode(coupon.id, { code: 'taken' })).code).toBe('taken');
  const back = await catalog.call('PATCH', `/promotion-codes/${first.id}`, { body: { isActive: true } });
  expect([back.status, back.body.error.code]).toEqual([409, 'promotion_code_taken']);

  const once = await catalog.createCoupon({ maxRedemptions: 1, redeemBy: `${NEXT_YEAR}-01-01T00:00:00.000Z` });
  for (const [field, value] of [
    ['maxRedemptions', 2],
    ['expiresAt', `${NEXT_YEAR}-01-01T00:00:01.000Z`],
    ['expiresAt', new Date().toISOString()],
  ] as const) {
    const wide = await catalog.call('POST', '/promotion-codes', { body: { couponId: once.id, [field]: value } });
    expect([wide.status, wide.body.error.details.fields[0].path]).toEqual([400, field]);
  }

  // Deleted at the processor: no event has arrived yet.
  await catalog.dashboard.coupons.del(coupon.processorCouponId);
  const late = await catalog.call('POST', '/promotion-codes', { body: { couponId: coupon.id, code: 'LATE' } });
  expect([late.status, late.body.error.code]).toEqual([422, 'coupon_not_valid']);
  expect(await catalog.openOperations()).toEqual([]);
});

it('knows no coupon, product, customer or code of another project', async () => {
  await using catalog = await startCatalog();
  await catalog.serve(FindCustomer, async () => null);
  const coupon = await catalog.createCoupon();
  const code = await catalog.createPromotionCode(coupon.id, { code: 'MINE' });
  const of: ProjectScope = { ...catalog.scope, projectId: ProjectId.create() };
  const codeOf = async (...request: Parameters<Catalog['call']>) => (await catalog.call(...request)).body.error?.code;
  expect(await codeOf('GET', `/coupons/${coupon.id}`, { of })).toBe('coupon_not_found');
  expect(await codeOf('DELETE', `/coupons/${coupon.id}`, { of })).toBe('coupon_not_found');
  expect(await codeOf('GET', `/promotion-codes/${code.id}`, { of })).toBe('promotion_code_not_found');
  const change = { of, body: { isActive: false } };
  expect(await codeOf('PATCH', `/promotion-codes/${code.id}`, change)).toBe('promotion_code_not_found');
  expect(await codeOf('POST', '/promotion-codes', { of, body: { couponId: coupon.id } })).toBe('coupon_not_found');
  const unknown = { couponId: coupon.id, customerId: CustomerId.create() };
  expect(await codeOf('POST', '/promotion-codes', { body: unknown })).toBe('customer_not_found');
  const limited = { ...COUPON, productIds: [ProductId.create()] };
  expect(await codeOf('POST', '/coupons', { body: limited })).toBe('product_not_found');
  await catalog.run();
  expect(await catalog.findPromotionCode('MINE', of)).toBeNull();
  expect(await catalog.findPromotionCode(code.id, of)).toBeNull();
  const stored = { promotionCodeId: code.id };
  expect(await catalog.rpc.call(FindStoredPromotionCode, { ...of, ...stored })).toBeNull();
  expect(await catalog.rpc.call(FindStoredPromotionCode, { ...catalog.scope, ...stored })).toMatchObject({
    promotionCode: { id: code.id, code: 'MINE' },
    coupon: { id: coupon.id, percentOff: 20 },
  });
});

it('tells other services why a code cannot be redeemed, as the processor has it at that moment', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const { id: customerId, processorCustomerId } = await serveCustomer(catalog);
  const coupon = await catalog.createCoupon({ maxRedemptions: 9 });
  const euros = await catalog.createCoupon({ percentOff: undefined, amountOff: 500, currency: 'eur' });
  const product = await catalog.createProduct();
  const limited = await catalog.createCoupon({ productIds: [product.id] });
  const spring = await catalog.createPromotionCode(coupon.id, { code: 'SPRING' });
  await catalog.createPromotionCode(coupon.id, { code: 'HERS', customerId });
  await catalog.createPromotionCode(euros.id, { code: 'EUROS' });
  await catalog.createPromotionCode(limited.id, { code: 'LIMITED' });
  const refusalOf = async (...request: Parameters<Catalog['findPromotionCode']>) =>
    (await catalog.findPromotionCode(...request))?.refusal;

  expect(await catalog.findPromotionCode('sprinG')).toMatchObject({
    promotionCode: { id: spring.id, processorPromotionCodeId: spring.processorPromotionCodeId },
    coupon: { id: coupon.id, percentOff: 20 },
    refusal: null,
  });
  expect(await refusalOf(spring.id)).toBeNull();
  expect(await refusalOf(PromotionCodeId.create())).toBeUndefined();
  expect(await refusalOf('HERS')).toBe('promotion_code_not_applicable');
  expect(await refusalOf('HERS', { processorCustomerId })).toBeNull();
  expect(await refusalOf('EUROS')).toBe('promotion_code_not_applicable');
  expect(await refusalOf('EUROS', { currency: 'eur' })).toBeNull();
  // Added at the processor since: no event contains it.
  await catalog.dashboard.coupons.update(euros.processorCouponId, { currency_options: { gbp: { amount_off: 400 } } });
  expect(await catalog.findPromotionCode('EUROS', { currency: 'gbp' })).toMatchObject({
    coupon: { amountOff: 400, currency: 'gbp' },
    refusal: null,
  });
  expect(await refusalOf('EUROS', { currency: 'chf' })).toBe('promotion_code_not_applicable');
  expect(await refusalOf('LIMITED')).toBe('promotion_code_not_applicable');
  expect(await refusalOf('LIMITED', { productIds: [product.id] })).toBeNull();
  const single = await catalog.createCoupon({ maxRedemptions: 1 });
  const { processorPromotionCodeId } = await catalog.createPromotionCode(single.id, { code: 'SINGLE' });
  const purchase = { customer: processorCustomerId, product: product.processorProductId };
  await catalog.redeem(processorPromotionCodeId, purchase);
  expect(await refusalOf('SINGLE')).toBe('promotion_code_exhausted');
  // No event of these has come.
  await catalog.dashboard.promotionCodes.update(spring.processorPromotionCodeId, { active: false });
  expect(await refusalOf('SPRING')).toBe('promotion_code_inactive');
  await catalog.dashboard.coupons.del(limited.processorCouponId);
  expect(await refusalOf('LIMITED', { productIds: [product.id] })).toBe('promotion_code_inactive');
});

it('refuses terms that do not fit each other, and keeps nothing', async () => {
  await using catalog = await startCatalog();
  const wrong = [
    { percentOff: 0 },
    { percentOff: 100.01 },
    { percentOff: 12.345 },
    { amountOff: 500, currency: 'usd' },
    { percentOff: undefined, amountOff: 500 },
    { durationInMonths: undefined },
    { currencyOptions: { eur: 450 } },
    { percentOff: undefined, amountOff: 500, currency: 'usd', currencyOptions: { usd: 400 } },
    { percentOff: undefined, amountOff: 500, currency: 'usd', currencyOptions: { euro: 400 } },
    { percentOff: undefined, amountOff: 500, currency: 'usd', currencyOptions: { eur: 0 } },
    { duration: 'forever' },
    { name: '' },
    { productIds: [] },
    { redeemBy: 'soon' },
    { redeemBy: new Date().toISOString() },
    { redeemBy: `${NEXT_YEAR + 5}-01-01T00:00:00Z` },
    { id: 'MINE' },
  ];
  for (const change of wrong) {
    const refused = await catalog.call('POST', '/coupons', { body: { ...COUPON, ...change } });
    expect([change, refused.status, refused.body.error.code]).toEqual([change, 400, 'validation_error']);
  }
  expect((await catalog.call('GET', '/coupons')).body.coupons).toEqual([]);
});

/** Serves a customer of the project, whom the processor has. */
async function serveCustomer(catalog: Catalog) {
  const { processor, scope, serve } = catalog;
  const { id: processorCustomerId } = await processor.createCustomer({ email: 'ada@example.com', metadata: {} }, 'ada');
  const customer = customerState({ projectId: scope.projectId, processorCustomerId });
  await serve(FindCustomer, async ({ customerId }) => (customerId === customer.id ? customer : null));
  await serve(FindCustomersByProcessorId, async wanted =>
    wanted.processorCustomerId === processorCustomerId ? [customer] : [],
  );
  return customer;
}
