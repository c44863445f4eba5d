import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import { CouponSaved, PromotionCodeSaved } from '@billing/contracts/events/discounts';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { newEvent } from '@billing/testing/events';
import { compareSubscriptions } from '../src/rpc/compare-subscriptions.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

const createCoupon = (coupon: Partial<Parameters<Service['processor']['createCoupon']>[0]> = {}) =>
  service.processor.createCoupon(
    { name: 'Half', off: { percent: 50 }, duration: 'forever', metadata: {}, ...coupon },
    randomUUID(),
  );
const createCode = (couponId: string) =>
  service.processor.createPromotionCode({ couponId, metadata: {} }, randomUUID());

/** Subscribes the customer of a new project to a price of 29.99 with discounts; none of its events is delivered. */
async function subscribe(...discounts: { coupon?: string; promotion_code?: string }[]) {
  const project = await startProject(service);
  const { scope, customer } = project;
  const { price, product } = await service.createPrice({}, scope);
  const { id } = await service.account.dashboard.subscriptions.create({
    customer: customer.processorCustomerId,
    items: [{ price: price.processorPriceId }],
    discounts,
    trial_period_days: 14,
    metadata: { teamId: scope.teamId, projectId: scope.projectId },
  });
  const events = async (type: ProcessorEventType): Promise<Envelope[]> =>
    (await service.account.events(scope, type)).filter(event => objectOf(event)['id'] === id);
  return {
    ...project,
    id,
    price,
    product,
    /** The newest event of a type about the subscription. */
    newest: async (type: ProcessorEventType): Promise<Envelope> => {
      const event = (await events(type)).at(-1);
      if (!event) throw new Error(`There is no ${type} of ${id}.`);
      return event;
    },
    discounts: async () => (await project.subscriptions())[0]?.['discounts'],
    setAtProcessor: (...wanted: Parameters<Service['processor']['setDiscounts']>[1][number][]) =>
      service.processor.setDiscounts(id, wanted, randomUUID()),
  };
}

const CREATED = 'customer.subscription.created';
const UPDATED = 'customer.subscription.updated';
const HALF = { percentOff: 50, amountOff: null, currency: null, endsAt: null };

describe('the discounts of a subscription', () => {
  it('are what the processor has, although an event contains only their ids', async () => {
    const coupon = await createCoupon({ duration: 'repeating', durationInMonths: 3 });
    const code = await createCode(coupon.id);
    const { id, newest, discounts, published, told } = await subscribe({ promotion_code: code.id });
    const created = await newest(CREATED);
    expect(objectOf(created)['discounts']).toEqual([expect.stringMatching(/^di_/)]);
    await service.deliver(created);

    const [discount] = (await service.processor.findSubscription(id)).discounts;
    const endsAt = discount?.detail?.endsAt;
    const shown = { ...HALF, couponId: null, promotionCodeId: null, endsAt: endsAt?.toISOString() };
    expect(await discounts()).toEqual([shown]);
    expect((await told())[0]).toMatchObject({ data: { discounts: [shown] } });
    expect((await published())[0]?.data.discounts).toEqual([
      {
        ...shown,
        endsAt,
        processorDiscountId: discount?.id,
        processorCouponId: coupon.id,
        processorPromotionCodeId: code.id,
        duration: 'repeating',
        processorProductIds: null,
      },
    ]);
  });

  it('follow the processor, in whatever order events come', async () => {
    const half = await createCoupon();
    const five = await createCoupon({ off: { amount: 500, currency: 'usd' } });
    const { newest, discounts, setAtProcessor, told } = await subscribe({ coupon: half.id });
    const created = await newest(CREATED);
    await service.deliver(created);
    await service.control.advanceClock(10);
    await setAtProcessor({ couponId: half.id }, { couponId: five.id });
    const both = await newest(UPDATED);
    await service.control.advanceClock(10);
    await setAtProcessor();
    await service.deliver(await newest(UPDATED));
    expect(await discounts()).toEqual([]);
    await service.deliver(both);
    expect(await discounts()).toEqual([]);
    expect((await told()).map(({ previousAttributes }) => previousAttributes)).toEqual([
      null,
      expect.objectContaining({ discounts: [expect.objectContaining(HALF)] }),
    ]);
  });

  it('are left out of a late event when the subscription has them no more', async () => {
    const { newest, discounts, setAtProcessor } = await subscribe({ coupon: (await createCoupon()).id });
    await setAtProcessor();
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toEqual([]);
  });

  it('are read once, and taken from the record when further events name them', async () => {
    const { newest, discounts, id } = await subscribe({ coupon: (await createCoupon()).id });
    await service.deliver(await newest(CREATED));
    await service.control.advanceClock(10);
    await service.account.dashboard.subscriptions.update(id, { metadata: { seen: 'yes' } });
    const updated = await newest(UPDATED);
    const reads = await countReads();
    expect(reads).toBeGreaterThan(0);
    await service.deliver(updated);
    expect(await discounts()).toMatchObject([HALF]);
    expect(await countReads()).toBe(reads);
  });

  it('name the only products of a coupon', async () => {
    const { newest, setAtProcessor, product, published } = await subscribe();
    const productIds = [product.processorProductId];
    await setAtProcessor({ couponId: (await createCoupon({ productIds })).id });
    await service.deliver(await newest(UPDATED));
    expect((await published())[0]?.data).toMatchObject({
      discounts: [{ processorProductIds: productIds }],
      items: [{ processorProductId: product.processorProductId }],
    });
  });

  it('survive what is changed through the API, and the deletion of their coupon', async () => {
    const coupon = await createCoupon();
    const { newest, scope, subscriptions, discounts } = await subscribe({ coupon: coupon.id });
    await service.deliver(await newest(CREATED));
    await service.processor.deleteCoupon(coupon.id);
    const [subscription] = await subscriptions();
    const path = `/subscriptions/${String(subscription?.['id'])}`;
    for (const cancelAtPeriodEnd of [true, false]) {
      const { body } = await service.call('PATCH', path, { of: scope, body: { cancelAtPeriodEnd } });
      expect(body.subscription).toMatchObject({ cancelAtPeriodEnd, discounts: [HALF] });
    }
    await service.call('DELETE', path, { of: scope });
    expect(await discounts()).toMatchObject([HALF]);
  });

  it('survive a change of plan', async () => {
    const { change } = await subscribeToSeats(service, {
      more: { discounts: [{ coupon: (await createCoupon()).id }] },
    });
    const { body } = await change({ quantity: 8 });
    expect(body.subscription).toMatchObject({ quantity: 8, discounts: [HALF] });
  });

  it('differ from the processor’s until they are recorded', async () => {
    const { newest, scope, id, setAtProcessor } = await subscribe();
    await service.deliver(await newest(CREATED));
    const compare = async () => {
      const { object } = await service.processor.findListed('subscription', id);
      if (!object) throw new Error(`There is no ${id}.`);
      const compared = await compareSubscriptions(service.em)({ ...scope, type: 'subscription', objects: [object] });
      return compared.flatMap(({ fields }) => fields.map(({ field }) => field));
    };
    expect(await compare()).toEqual([]);
    await setAtProcessor({ couponId: (await createCoupon()).id });
    expect(await compare()).toEqual(['discounts']);
    await service.deliver(await newest(UPDATED));
    expect(await compare()).toEqual([]);
  });
});

describe('our ids of the coupon and the code of a discount', () => {
  /** Subscribes with a promotion code, and returns the events of the catalog about the code and its coupon. */
  async function subscribeWithCode() {
    const { scope } = await startProject(service);
    const { promotionCode, coupon } = await service.createPromotionCode({}, scope);
    const subscribed = await subscribe({ promotion_code: promotionCode.processorPromotionCodeId });
    const inProject = { projectId: subscribed.scope.projectId };
    return {
      ...subscribed,
      ids: { couponId: coupon.id, promotionCodeId: promotionCode.id },
      coupon: { ...coupon, ...inProject },
      couponSaved: newEvent(CouponSaved, scope.teamId, { ...coupon, ...inProject }),
      codeSaved: newEvent(PromotionCodeSaved, scope.teamId, { ...promotionCode, ...inProject }),
    };
  }

  it('are shown where the copies came first', async () => {
    const { newest, discounts, published, ids, couponSaved, codeSaved } = await subscribeWithCode();
    await service.deliver(couponSaved, codeSaved);
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toMatchObject([ids]);
    expect((await published())[0]?.data.discounts).toMatchObject([ids]);
  });

  it('are filled in when the copies come later, once', async () => {
    const { newest, discounts, told, ids, couponSaved, codeSaved } = await subscribeWithCode();
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toMatchObject([{ couponId: null, promotionCodeId: null }]);
    await service.deliver(couponSaved, codeSaved);
    await service.deliver(couponSaved, codeSaved);
    expect(await discounts()).toMatchObject([ids]);
    expect((await told()).map(({ type }) => type)).toEqual([
      'subscription.created',
      'subscription.updated',
      'subscription.updated',
    ]);
  });

  it('stay when the coupon is deleted', async () => {
    const { newest, discounts, ids, scope, coupon, couponSaved } = await subscribeWithCode();
    const deleted = newEvent(CouponSaved, scope.teamId, { ...coupon, version: 2, deletedAt: new Date() });
    await service.deliver(couponSaved, deleted);
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toMatchObject([{ couponId: ids.couponId }]);
  });
});

describe('PUT …/discount', () => {
  /** Subscribes, records it, and creates a code of the project. */
  async function startSetting(code: Parameters<Service['createPromotionCode']>[0] = {}, ...had: { coupon?: string }[]) {
    const subscribed = await subscribe(...had);
    await service.deliver(await subscribed.newest(CREATED));
    const created = await service.createPromotionCode(code, subscribed.scope);
    const path = `/subscriptions/${String((await subscribed.subscriptions())[0]?.['id'])}/discount`;
    return {
      ...subscribed,
      ...created,
      put: (promotionCode: string | null) =>
        service.call('PUT', path, { of: subscribed.scope, body: { promotionCode } }),
      atProcessor: async () => (await service.processor.findSubscription(subscribed.id)).discounts,
    };
  }

  it('sets a code by its text in any case or its id, in place of all discounts, and redeems it once', async () => {
    const had = await createCoupon({ off: { percent: 10 } });
    const { put, atProcessor, promotionCode } = await startSetting({ code: 'SPRING' }, { coupon: had.id });
    const done = { status: 200, body: { subscription: { discounts: [HALF] } } };
    expect(await put('spring')).toMatchObject(done);
    const [discount] = await atProcessor();
    expect(discount?.detail?.promotionCodeId).toBe(promotionCode.processorPromotionCodeId);
    expect(await put(promotionCode.id)).toMatchObject(done);
    expect(await atProcessor()).toEqual([discount]);
    const { timesRedeemed } = await service.processor.findPromotionCode(promotionCode.processorPromotionCodeId);
    expect(timesRedeemed).toBe(1);
  });

  it('removes all discounts, and may do it again', async () => {
    const { put, atProcessor, told } = await startSetting({}, { coupon: (await createCoupon()).id });
    for (let times = 0; times < 2; times += 1)
      expect(await put(null)).toMatchObject({ status: 200, body: { subscription: { discounts: [] } } });
    expect(await atProcessor()).toEqual([]);
    expect((await told()).map(({ type }) => type)).toEqual(['subscription.created', 'subscription.updated']);
  });

  it('keeps what it did when the answer is lost', async () => {
    const { put, atProcessor, discounts, promotionCode } = await startSetting();
    await service.control.fail({
      path: '/v1/subscriptions/',
      method: 'POST',
      mode: 'done-but-response-lost',
      times: 99,
    });
    expect((await put(promotionCode.id)).status).toBe(503);
    await service.control.clearFaults();
    expect((await put(promotionCode.id)).status).toBe(200);
    expect(await atProcessor()).toHaveLength(1);
    expect(await discounts()).toMatchObject([HALF]);
    const { timesRedeemed } = await service.processor.findPromotionCode(promotionCode.processorPromotionCodeId);
    expect(timesRedeemed).toBe(1);
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

describe('customer.discount events', () => {
  it('bring what no event of the subscription tells, once', async () => {
    const { newest, discounts, setAtProcessor, scope, told } = await subscribe();
    await service.deliver(await newest(CREATED));
    await setAtProcessor({ couponId: (await createCoupon()).id });
    const newestOf = async (type: ProcessorEventType) => {
      const found = (await service.account.events(scope, type)).at(-1);
      if (!found) throw new Error(`There is no ${type}.`);
      return found;
    };
    const created = await newestOf('customer.discount.created');
    await service.deliver(created);
    expect(await discounts()).toMatchObject([HALF]);
    await setAtProcessor();
    const deleted = await newestOf('customer.discount.deleted');
    await service.deliver(deleted);
    await service.deliver(created);
    expect(await discounts()).toEqual([]);
    expect(await told()).toHaveLength(3);
  });
});

/** How often subscriptions were read at the processor. */
async function countReads(): Promise<number> {
  const { calls } = await service.control.ledger();
  return calls['GET /v1/subscriptions/:id']?.[200] ?? 0;
}
