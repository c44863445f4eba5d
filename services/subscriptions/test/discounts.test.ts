import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CouponSaved, PromotionCodeSaved } from '@billing/contracts/events/discounts';
import { newEvent } from '@billing/testing/events';
import { compareSubscriptions } from '../src/record/compare-subscriptions.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';
import {
  createCoupon,
  CREATED,
  HALF,
  newestOf,
  subscribeWith,
  subscribeWithDiscounts,
} from './subscribe-with-discounts.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

const UPDATED = 'customer.subscription.updated';

describe('the discounts of a subscription', () => {
  it('are what the processor has, although an event contains only their ids', async () => {
    const coupon = await createCoupon(service, { duration: 'repeating', durationInMonths: 3 });
    const code = await service.processor.createPromotionCode({ couponId: coupon.id, metadata: {} }, randomUUID());
    const { id, newest, discounts, published, publicEvents } = await subscribeWithDiscounts(service, {
      promotion_code: code.id,
    });
    const created = await newest(CREATED);
    expect(objectOf(created)['discounts']).toEqual([expect.stringMatching(/^di_/)]);
    await service.deliver(created);

    const [discount] = (await service.processor.findSubscription(id)).discounts;
    const endsAt = discount?.detail?.endsAt;
    const shown = { ...HALF, couponId: null, promotionCodeId: null, endsAt: endsAt?.toISOString() };
    expect(await discounts()).toEqual([shown]);
    expect((await publicEvents())[0]).toMatchObject({ data: { discounts: [shown] } });
    expect((await published())[0]?.data.discounts).toEqual([
      {
        ...withoutPrice(shown),
        itemIndex: null,
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
    const half = await createCoupon(service);
    const five = await createCoupon(service, { off: { amount: 500, currency: 'usd' } });
    const { newest, discounts, setAtProcessor, publicEvents } = await subscribeWithDiscounts(service, {
      coupon: half.id,
    });
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
    expect((await publicEvents()).map(({ previousAttributes }) => previousAttributes)).toEqual([
      null,
      expect.objectContaining({ discounts: [expect.objectContaining(HALF)] }),
    ]);
  });

  it('are left out of a late event when the subscription has them no more', async () => {
    const { newest, discounts, setAtProcessor } = await subscribeWithDiscounts(service, {
      coupon: (await createCoupon(service)).id,
    });
    await setAtProcessor();
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toEqual([]);
  });

  it('are read once, and taken from the record when further events name them', async () => {
    const { newest, discounts, id } = await subscribeWithDiscounts(service, {
      coupon: (await createCoupon(service)).id,
    });
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
    const { newest, setAtProcessor, product, published } = await subscribeWithDiscounts(service);
    const productIds = [product.processorProductId];
    await setAtProcessor({ couponId: (await createCoupon(service, { productIds })).id });
    await service.deliver(await newest(UPDATED));
    expect((await published())[0]?.data).toMatchObject({
      discounts: [{ processorProductIds: productIds }],
      items: [{ processorProductId: product.processorProductId }],
    });
  });

  it('survive what is changed through the API, and the deletion of their coupon', async () => {
    const coupon = await createCoupon(service);
    const { newest, scope, subscriptions, discounts } = await subscribeWithDiscounts(service, { coupon: coupon.id });
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
      more: { discounts: [{ coupon: (await createCoupon(service)).id }] },
    });
    const { body } = await change({ quantity: 8 });
    expect(body.subscription).toMatchObject({ quantity: 8, discounts: [HALF] });
  });

  it('differ from the processor’s until they are recorded', async () => {
    const { newest, scope, id, setAtProcessor } = await subscribeWithDiscounts(service);
    await service.deliver(await newest(CREATED));
    const compare = async () => {
      const { object } = await service.processor.findListed('subscription', id);
      if (!object) throw new Error(`There is no ${id}.`);
      const compared = await compareSubscriptions(service.em)({ ...scope, type: 'subscription', objects: [object] });
      return compared.flatMap(({ fields }) => fields.map(({ field }) => field));
    };
    expect(await compare()).toEqual([]);
    await setAtProcessor({ couponId: (await createCoupon(service)).id });
    expect(await compare()).toEqual(['discounts']);
    await service.deliver(await newest(UPDATED));
    expect(await compare()).toEqual([]);
  });
});

describe('a discount of an amount', () => {
  it('is in the subscription’s currency, where the coupon has one in that', async () => {
    const off = { amount: 500, currency: 'usd', currencyOptions: { eur: 450 } };
    const coupon = await createCoupon(service, { off });
    const inDollars = await subscribeWithDiscounts(service, { coupon: coupon.id });
    await service.deliver(await inDollars.newest(CREATED));
    expect(await inDollars.discounts()).toMatchObject([{ amountOff: 500, currency: 'usd' }]);
    const inEuros = await subscribeWith(service, { currency: 'eur', discounts: [{ coupon: coupon.id }] });
    await service.deliver(await inEuros.newest(CREATED));
    const shown = { amountOff: 450, currency: 'eur', percentOff: null };
    expect(await inEuros.discounts()).toMatchObject([shown]);
    expect((await inEuros.published())[0]?.data.discounts).toMatchObject([shown]);
    expect((await inEuros.publicEvents())[0]).toMatchObject({ data: { discounts: [shown] } });
  });
});

describe('our ids of the coupon and the code of a discount', () => {
  /** Subscribes with a promotion code, and returns the events of the catalog about the code and its coupon. */
  async function subscribeByCode() {
    const { scope } = await startProject(service);
    const { promotionCode, coupon } = await service.createPromotionCode({}, scope);
    const subscribed = await subscribeWithDiscounts(service, {
      promotion_code: promotionCode.processorPromotionCodeId,
    });
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
    const { newest, discounts, published, ids, couponSaved, codeSaved } = await subscribeByCode();
    await service.deliver(couponSaved, codeSaved);
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toMatchObject([ids]);
    expect((await published())[0]?.data.discounts).toMatchObject([ids]);
  });

  it('are filled in when the copies come later, once', async () => {
    const { newest, discounts, publicEvents, ids, couponSaved, codeSaved } = await subscribeByCode();
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toMatchObject([{ couponId: null, promotionCodeId: null }]);
    await service.deliver(couponSaved, codeSaved);
    await service.deliver(couponSaved, codeSaved);
    expect(await discounts()).toMatchObject([ids]);
    expect((await publicEvents()).map(({ type }) => type)).toEqual([
      'subscription.created',
      'subscription.updated',
      'subscription.updated',
    ]);
  });

  it('stay when the coupon is deleted', async () => {
    const { newest, discounts, ids, scope, coupon, couponSaved } = await subscribeByCode();
    const deleted = newEvent(CouponSaved, scope.teamId, { ...coupon, version: 2, deletedAt: new Date() });
    await service.deliver(couponSaved, deleted);
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toMatchObject([{ couponId: ids.couponId }]);
  });
});

describe('customer.discount events', () => {
  it('bring what no event of the subscription tells, once', async () => {
    const { newest, discounts, setAtProcessor, scope, publicEvents } = await subscribeWithDiscounts(service);
    await service.deliver(await newest(CREATED));
    await setAtProcessor({ couponId: (await createCoupon(service)).id });
    const created = await newestOf(service, scope, 'customer.discount.created');
    await service.deliver(created);
    expect(await discounts()).toMatchObject([HALF]);
    await setAtProcessor();
    const deleted = await newestOf(service, scope, 'customer.discount.deleted');
    await service.deliver(deleted);
    await service.deliver(created);
    expect(await discounts()).toEqual([]);
    expect(await publicEvents()).toHaveLength(3);
  });
});

/** A discount as events between services carry it names its item by its place. */
const withoutPrice = <Shown extends { readonly processorPriceId: unknown }>({
  processorPriceId: _price,
  ...rest
}: Shown) => rest;

/** How often subscriptions were read at the processor. */
async function countReads(): Promise<number> {
  const { calls } = await service.control.ledger();
  return calls['GET /v1/subscriptions/:id']?.[200] ?? 0;
}
