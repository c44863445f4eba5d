import { CustomerUpdated } from '@billing/contracts/events/customers';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from './service.ts';
import {
  createCoupon,
  CREATED,
  HALF,
  newestOf,
  subscribeWith,
  subscribeWithCode,
  subscribeWithDiscounts,
} from './subscribe-with-discounts.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

const UPDATED = 'customer.subscription.updated';

describe('the discount of an item', () => {
  it('names its item, comes before those of the subscription, and stays when its coupon is deleted', async () => {
    const off = { amount: 500, currency: 'usd', currencyOptions: { eur: 450 } };
    const [five, half] = [await createCoupon(service, { off }), await createCoupon(service)];
    const { newest, discounts, price, id, published, setAtProcessor } = await subscribeWith(service, {
      currency: 'eur',
      item: { discounts: [{ coupon: five.id }] },
      discounts: [{ coupon: half.id }],
    });
    await service.deliver(await newest(CREATED));
    const ofItem = { level: 'item', processorPriceId: price.processorPriceId, amountOff: 450, currency: 'eur' };
    expect(await discounts()).toMatchObject([ofItem, HALF]);
    expect((await published())[0]?.data.discounts).toMatchObject([{ level: 'item', itemIndex: 0 }, {}]);
    await service.processor.deleteCoupon(five.id);
    await setAtProcessor();
    await service.deliver(await newest(UPDATED));
    expect(await discounts()).toMatchObject([ofItem]);
    await service.control.advanceClock(10);
    const [item] = (await service.processor.findSubscription(id)).items;
    const items = [{ id: item?.id ?? '', discounts: '' as const }];
    await service.account.dashboard.subscriptions.update(id, { items });
    await service.deliver(await newest(UPDATED));
    expect(await discounts()).toEqual([]);
  });

  it('is brought and taken by its own events', async () => {
    const { newest, discounts, id, scope } = await subscribeWithDiscounts(service);
    await service.deliver(await newest(CREATED));
    const [item] = (await service.processor.findSubscription(id)).items;
    const change = (wanted: '' | { coupon: string }[]) =>
      service.account.dashboard.subscriptions.update(id, { items: [{ id: item?.id ?? '', discounts: wanted }] });
    await change([{ coupon: (await createCoupon(service)).id }]);
    await service.deliver(await newestOf(service, scope, 'customer.discount.created'));
    expect(await discounts()).toMatchObject([{ ...HALF, level: 'item', processorPriceId: expect.any(String) }]);
    await change('');
    await service.deliver(await newestOf(service, scope, 'customer.discount.deleted'));
    expect(await discounts()).toEqual([]);
  });
});

describe('the discount of a customer', () => {
  const OF_CUSTOMER = { ...HALF, level: 'customer' };

  /** A subscription of a customer, none of whose events is delivered, and the newest event of the customer's discount. */
  async function startDiscounted() {
    const subscribed = await subscribeWithDiscounts(service);
    const { customer, scope } = subscribed;
    const { id: coupon } = await createCoupon(service);
    const of = customer.processorCustomerId;
    return {
      ...subscribed,
      discountCustomer: async () => {
        const discount = await service.control.discountCustomer(of, coupon);
        return { discount, event: await newestOf(service, scope, 'customer.discount.created') };
      },
      removeFromCustomer: async () => {
        await service.control.discountCustomer(of, null);
        return newestOf(service, scope, 'customer.discount.deleted');
      },
    };
  }

  it.each(['before', 'after'] as const)('counts when its event comes %s that of the subscription', async order => {
    const { newest, discounts, discountCustomer, removeFromCustomer, publicEvents } = await startDiscounted();
    const created = await newest(CREATED);
    const { event } = await discountCustomer();
    for (const one of order === 'before' ? [event, created] : [created, event]) await service.deliver(one);
    expect(await discounts()).toEqual([{ ...OF_CUSTOMER, couponId: null, promotionCodeId: null }]);
    const removed = await removeFromCustomer();
    await service.deliver(removed);
    await service.deliver(event);
    expect(await discounts()).toEqual([]);
    expect((await publicEvents()).at(-1)?.previousAttributes).toMatchObject({ discounts: [OF_CUSTOMER] });
  });

  it('counts only while the subscription has none of its own', async () => {
    const { newest, discounts, discountCustomer, setAtProcessor } = await startDiscounted();
    await service.deliver(await newest(CREATED), (await discountCustomer()).event);
    expect(await discounts()).toMatchObject([OF_CUSTOMER]);
    await service.control.advanceClock(10);
    await setAtProcessor({ couponId: (await createCoupon(service, { off: { percent: 10 } })).id });
    await service.deliver(await newest(UPDATED));
    expect(await discounts()).toMatchObject([{ level: 'subscription', percentOff: 10 }]);
    await service.control.advanceClock(10);
    await setAtProcessor();
    await service.deliver(await newest(UPDATED));
    expect(await discounts()).toMatchObject([OF_CUSTOMER]);
  });

  it('is taken from what the customers service knows, for subscriptions recorded before and later', async () => {
    const { newest, discounts, discountCustomer, removeFromCustomer, customer, scope } = await startDiscounted();
    const { discount } = await discountCustomer();
    const saved = (version: number, discountId: string | null) =>
      newEvent(CustomerUpdated, scope.teamId, { ...customer, version, discountId });
    await service.deliver(saved(2, discount?.id ?? null));
    await service.deliver(await newest(CREATED));
    expect(await discounts()).toMatchObject([OF_CUSTOMER]);
    await removeFromCustomer();
    await service.deliver(saved(3, null));
    expect(await discounts()).toEqual([]);
    const again = await discountCustomer();
    await service.deliver(saved(4, again.discount?.id ?? null));
    expect(await discounts()).toMatchObject([OF_CUSTOMER]);
  });

  it('is taken in with the subscriptions of a customer that is linked', async () => {
    const { discountCustomer, customer } = await startDiscounted();
    await discountCustomer();
    const [taken] = await service.processor.listSubscriptions(customer.processorCustomerId);
    expect(taken?.customerDiscount).toMatchObject({ detail: { coupon: { percentOff: 50 } } });
  });

  it('stays beside a code that a change adds', async () => {
    const subscribed = await subscribeWithCode(service, {
      coupon: { off: { amount: 500, currency: 'usd' } },
    });
    const { customer, subscriptions, scope, promotionCode, newest, discounts } = subscribed;
    await service.control.discountCustomer(customer.processorCustomerId, (await createCoupon(service)).id);
    await service.deliver(await newestOf(service, scope, 'customer.discount.created'), await newest(CREATED));
    const path = `/subscriptions/${String((await subscriptions())[0]?.['id'])}/change`;
    const change = { quantity: 2, when: 'now', proration: 'none', promotionCode: promotionCode.id };
    const { body: previewed } = await service.call('POST', `${path}/preview`, { of: scope, body: change });
    expect(previewed).toMatchObject({ preview: { discount: 3_499 } });
    expect((await service.call('POST', path, { of: scope, body: change })).status).toBe(200);
    expect(await discounts()).toMatchObject([{ percentOff: 50 }, { amountOff: 500 }]);
  });
});
