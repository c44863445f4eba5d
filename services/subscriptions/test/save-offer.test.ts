import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CustomerId, SubscriptionId } from '@billing/contracts/ids';
import {
  AcceptSaveOffer,
  DescribeCustomerBilling,
  FindSaveOffer,
  ScheduleCancellation,
} from '@billing/contracts/rpc/as-customer';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { startService, type Service } from './service.ts';
import { createCoupon, HALF, subscribeWithCode } from './subscribe-with-discounts.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** Subscribes, records it, and creates the code that is offered. */
async function startOffer(code: Parameters<Service['createPromotionCode']>[0] = {}, ...had: { coupon?: string }[]) {
  const subscribed = await subscribeWithCode(service, code, ...had);
  const [subscription] = await subscribed.subscriptions();
  const subscriptionId = SubscriptionId.schema.parse(subscription?.['id']);
  const customerId = CustomerId.schema.parse(subscription?.['customerId']);
  const of = { ...subscribed.scope, customerId, subscriptionId };
  const offer = { ...of, promotionCodeId: subscribed.promotionCode.id };
  const cancel = (cancelAtPeriodEnd: boolean, declinesOffer?: boolean) =>
    service.rpc.call(ScheduleCancellation, {
      ...of,
      cancelAtPeriodEnd,
      cancellation: null,
      declinesOffer,
      audit: testAuditContext(),
    });
  const page = { ...subscribed.scope, customerId, invoiceLimit: 1, invoiceOffset: 0 };
  return {
    ...subscribed,
    offer,
    cancel,
    find: () => service.rpc.call(FindSaveOffer, offer),
    accept: () => service.rpc.call(AcceptSaveOffer, { ...offer, audit: testAuditContext() }),
    outcome: async () => (await service.rpc.call(DescribeCustomerBilling, page)).subscriptions[0]?.saveOffer,
  };
}

const notAvailable = expect.objectContaining({ code: 'save_offer_not_available', kind: 'unprocessable' });

describe('a save offer', () => {
  it('adds its code to the other discounts, once', async () => {
    const had = await createCoupon(service, { off: { percent: 10 } });
    const { find, accept, outcome, discounts, timesRedeemed } = await startOffer({}, { coupon: had.id });
    expect(await find()).toMatchObject({ percentOff: 50, duration: 'forever' });
    expect(await outcome()).toBeNull();
    expect(await accept()).toMatchObject({ discounts: [{ percentOff: 10 }, { percentOff: 50 }] });
    expect(await discounts()).toMatchObject([{ percentOff: 10 }, HALF]);
    expect([await find(), await outcome()]).toEqual([null, 'accepted']);
    await expect(accept()).rejects.toEqual(notAvailable);
    expect(await timesRedeemed()).toBe(1);
  });

  it('comes to the discount of the customer, which would not count beside it', async () => {
    const { find, accept, discounts, customer } = await startOffer();
    const had = await createCoupon(service, { off: { percent: 10 } });
    await service.control.discountCustomer(customer.processorCustomerId, had.id);
    expect(await find()).toMatchObject({ percentOff: 50 });
    await accept();
    expect(await discounts()).toMatchObject([{ level: 'subscription', percentOff: 10 }, HALF]);
  });

  it('is accepted once by many requests at a time', async () => {
    const { accept, discounts, timesRedeemed } = await startOffer();
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, accept));
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    const refusals = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    for (const refusal of refusals) expect(refusal).toEqual(notAvailable);
    expect(await discounts()).toMatchObject([HALF]);
    expect(await timesRedeemed()).toBe(1);
  });

  it('is accepted although the response of the processor is lost', async () => {
    const { accept, outcome, timesRedeemed, loseResponses, find } = await startOffer();
    await loseResponses();
    await accept().catch(() => undefined);
    await service.control.clearFaults();
    await accept().catch(() => undefined);
    expect([await outcome(), await find(), await timesRedeemed()]).toEqual(['accepted', null, 1]);
  });

  it('was made when the customer has canceled in spite of it, and not while the subscription ends', async () => {
    const { cancel, find, accept, outcome, timesRedeemed } = await startOffer();
    await cancel(true);
    expect([await find(), await outcome()]).toEqual([null, null]);
    await expect(accept()).rejects.toEqual(notAvailable);
    await cancel(false);
    expect(await find()).not.toBeNull();
    await cancel(true, true);
    await cancel(false);
    expect([await find(), await outcome()]).toEqual([null, 'declined']);
    await expect(accept()).rejects.toEqual(notAvailable);
    expect(await timesRedeemed()).toBe(0);
  });

  it.each(['promotion_code_inactive', 'promotion_code_not_applicable'] as const)(
    'is not made with a code that is %s',
    async refusal => {
      const { find, accept, promotionCode, coupon } = await startOffer();
      service.promotionCodes.set(promotionCode.id, { promotionCode, coupon, refusal });
      expect(await find()).toBeNull();
      await expect(accept()).rejects.toEqual(notAvailable);
      service.promotionCodes.delete(promotionCode.id);
      expect(await find()).toBeNull();
    },
  );

  it('is not made where only the processor knows that the code cannot be redeemed', async () => {
    const { find, accept } = await startOffer({ minimum: { amount: 3_000, currency: 'usd' } });
    expect(await find()).toBeNull();
    await expect(accept()).rejects.toEqual(notAvailable);
  });

  it('is not made while a schedule of the team manages the subscription', async () => {
    const { find, accept, id, newest } = await startOffer();
    await service.processor.createSchedule(id, 'schedule');
    await service.deliver(await newest('customer.subscription.updated'));
    expect(await find()).toBeNull();
    await expect(accept()).rejects.toEqual(notAvailable);
  });

  it('is not found of another customer', async () => {
    const { offer } = await startOffer();
    const ofAnother = { ...offer, customerId: CustomerId.create() };
    const notFound = expect.objectContaining({ code: 'subscription_not_found' });
    await expect(service.rpc.call(FindSaveOffer, ofAnother)).rejects.toEqual(notFound);
    const accepted = service.rpc.call(AcceptSaveOffer, { ...ofAnother, audit: testAuditContext() });
    await expect(accepted).rejects.toEqual(notFound);
  });
});
