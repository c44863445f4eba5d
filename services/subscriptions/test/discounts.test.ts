import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { compareSubscriptions } from '../src/rpc/compare-subscriptions.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

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

/** How often subscriptions were read at the processor. */
async function countReads(): Promise<number> {
  const { calls } = await service.control.ledger();
  return calls['GET /v1/subscriptions/:id']?.[200] ?? 0;
}
