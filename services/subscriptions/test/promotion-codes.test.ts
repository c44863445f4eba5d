import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';
import { createCoupon, CREATED, HALF, subscribeWithCode } from './subscribe-with-discounts.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('PUT …/discount', () => {
  /** Subscribes, records it, and creates a code of the project. */
  async function startSetting(code: Parameters<Service['createPromotionCode']>[0] = {}, ...had: { coupon?: string }[]) {
    const subscribed = await subscribeWithCode(service, code, ...had);
    const path = `/subscriptions/${String((await subscribed.subscriptions())[0]?.['id'])}/discount`;
    return {
      ...subscribed,
      put: (promotionCode: string | null) =>
        service.call('PUT', path, { of: subscribed.scope, body: { promotionCode } }),
      atProcessor: async () => (await service.processor.findSubscription(subscribed.id)).discounts,
    };
  }

  it('sets a code by its text in any case or its id, in place of all discounts, and redeems it once', async () => {
    const had = await createCoupon(service, { off: { percent: 10 } });
    const { put, atProcessor, timesRedeemed, promotionCode } = await startSetting(
      { code: 'SPRING' },
      { coupon: had.id },
    );
    const done = { status: 200, body: { subscription: { discounts: [HALF] } } };
    expect(await put('spring')).toMatchObject(done);
    const [discount] = await atProcessor();
    expect(discount?.detail?.promotionCodeId).toBe(promotionCode.processorPromotionCodeId);
    expect(await put(promotionCode.id)).toMatchObject(done);
    expect(await atProcessor()).toEqual([discount]);
    expect(await timesRedeemed()).toBe(1);
  });

  it('redeems a code once that several requests set at the same moment', async () => {
    const { put, atProcessor, timesRedeemed, promotionCode } = await startSetting();
    const responses = await Promise.all(Array.from({ length: 4 }, () => put(promotionCode.id)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await atProcessor()).toHaveLength(1);
    expect(await timesRedeemed()).toBe(1);
  });

  it('removes all discounts, and may do it again', async () => {
    const { put, atProcessor, publicEvents } = await startSetting({}, { coupon: (await createCoupon(service)).id });
    for (let times = 0; times < 2; times += 1)
      expect(await put(null)).toMatchObject({ status: 200, body: { subscription: { discounts: [] } } });
    expect(await atProcessor()).toEqual([]);
    expect((await publicEvents()).map(({ type }) => type)).toEqual(['subscription.created', 'subscription.updated']);
  });

  it('keeps what it did when the response is lost', async () => {
    const { put, atProcessor, discounts, timesRedeemed, loseResponses, promotionCode } = await startSetting();
    await loseResponses();
    expect((await put(promotionCode.id)).status).toBe(503);
    await service.control.clearFaults();
    expect((await put(promotionCode.id)).status).toBe(200);
    expect(await atProcessor()).toHaveLength(1);
    expect(await discounts()).toMatchObject([HALF]);
    expect(await timesRedeemed()).toBe(1);
  });

  it.each([
    'promotion_code_inactive',
    'promotion_code_expired',
    'promotion_code_exhausted',
    'promotion_code_not_applicable',
  ] as const)('refuses a code that is %s', async refusal => {
    const { put, promotionCode, coupon, atProcessor } = await startSetting();
    service.promotionCodes.set(promotionCode.id, { promotionCode, coupon, refusal });
    expect(await put(promotionCode.id)).toMatchObject({ status: 422, body: { error: { code: refusal } } });
    expect(await atProcessor()).toEqual([]);
  });

  it('refuses an unknown code, an ended subscription, and one that another schedule manages', async () => {
    const { put, promotionCode, id } = await startSetting();
    expect(await put('NONE')).toMatchObject({ status: 404, body: { error: { code: 'promotion_code_not_found' } } });
    const schedule = await service.account.dashboard.subscriptionSchedules.create({ from_subscription: id });
    expect(await put(promotionCode.id)).toMatchObject({
      status: 422,
      body: { error: { code: 'subscription_has_schedule' } },
    });
    await service.account.dashboard.subscriptionSchedules.release(schedule.id);
    await service.processor.cancelSubscription(id, randomUUID());
    expect(await put(promotionCode.id)).toMatchObject({ status: 422, body: { error: { code: 'subscription_ended' } } });
  });

  it('says that a code is not applicable when only the processor knows it', async () => {
    const { put, promotionCode } = await startSetting({ minimum: { amount: 999_999, currency: 'usd' } });
    expect(await put(promotionCode.id)).toMatchObject({
      status: 422,
      body: { error: { code: 'promotion_code_not_applicable' } },
    });
  });
});

describe('a checkout with a promotion code', () => {
  async function startShop(code: Parameters<Service['createPromotionCode']>[0] = {}) {
    const project = await startProject(service);
    const { scope, customer } = project;
    const { price } = await service.createPrice({}, scope);
    const created = await service.createPromotionCode(code, scope);
    const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
    const checkout = (body: object) =>
      service.call('POST', '/checkout', {
        of: scope,
        body: { customerId: customer.id, priceId: price.id, ...urls, ...body },
      });
    return { ...project, ...created, checkout };
  }

  it('sells with its discount from the start', async () => {
    const { checkout, promotionCode, scope, subscriptions } = await startShop({ code: `C${randomUUID().slice(0, 8)}` });
    const { status, body } = await checkout({ promotionCode: promotionCode.code.toLowerCase() });
    expect(status).toBe(201);
    await service.control.checkout(String(body.sessionId));
    await service.deliver(...(await service.account.events(scope, CREATED)).slice(-1));
    expect(await subscriptions()).toMatchObject([{ discounts: [HALF] }]);
  });

  it('is refused with a code that cannot be redeemed, and with codes that the customer may enter', async () => {
    const { checkout, promotionCode, coupon } = await startShop({ minimum: { amount: 999_999, currency: 'usd' } });
    const refused = (code: string) => ({ status: 422, body: { error: { code } } });
    const wanted = { promotionCode: promotionCode.id };
    expect(await checkout(wanted)).toMatchObject(refused('promotion_code_not_applicable'));
    service.promotionCodes.set(promotionCode.id, { promotionCode, coupon, refusal: 'promotion_code_expired' });
    expect(await checkout(wanted)).toMatchObject(refused('promotion_code_expired'));
    expect((await checkout({ promotionCode: 'NONE' })).status).toBe(404);
    expect((await checkout({ ...wanted, allowPromotionCodes: true })).status).toBe(400);
  });
});
