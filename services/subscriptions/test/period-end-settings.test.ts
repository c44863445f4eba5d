import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { portalSetupMetadata } from '@billing/processor/metadata';
import { startService, type Service } from './service.ts';
import { expectEqual, subscribeWithOtherPlan } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

describe('a change at the end of the period', () => {
  it('keeps the trial, the discounts and the way of collecting', async () => {
    const coupon = await service.account.dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    const more = { discounts: [{ coupon: coupon.id }], trial_period_days: 14 };
    const subscribed = await subscribeWithOtherPlan(service, { more });
    const { change, other, atProcessor, advance, deliver, get, invoicesAtProcessor } = subscribed;
    const before = await atProcessor();
    const { body } = await change({ priceId: other.id, when: 'period_end' });
    expect(body.change).toMatchObject({ status: 'scheduled', effectiveAt: '2026-04-15T00:00:00.000Z' });
    expect(await atProcessor()).toMatchObject({
      status: 'trialing',
      trialEnd: before.trialEnd,
      discounts: before.discounts,
    });
    await advance('2026-04-15T02:00:00Z');
    await deliver();
    expect(await get()).toMatchObject({ status: 'active', priceId: other.id, quantity: 5, scheduledChange: null });
    expect((await invoicesAtProcessor())[0]).toMatchObject({ total: (5 * 999 - 1) / 2 });
  });

  it('keeps the discount of an item and that of the customer, and redeems nothing again', async () => {
    const { dashboard } = service.account;
    const create = (percent: number, duration: 'once' | 'forever') =>
      dashboard.coupons.create({ percent_off: percent, duration });
    const [once, ofItem, ofCustomer] = [
      await create(50, 'once'),
      await create(20, 'forever'),
      await create(10, 'forever'),
    ];
    const subscribed = await subscribeWithOtherPlan(service, { more: { discounts: [{ coupon: once.id }] } });
    const { change, other, processorId, payer, deliver, atProcessor, advance, invoicesAtProcessor } = subscribed;
    const [item] = (await atProcessor()).items;
    const items = [{ id: item?.id ?? '', discounts: [{ coupon: ofItem.id }] }];
    await dashboard.subscriptions.update(processorId, { items });
    await service.control.discountCustomer(payer.id, ofCustomer.id);
    await deliver();
    const total = Math.round(5 * 999 * 0.8 * 0.9);
    const wanted = { priceId: other.id, when: 'period_end' };
    expect((await subscribed.preview(wanted)).body.preview.nextInvoice.total).toBe(total);
    await change(wanted);
    await advance('2026-05-01T02:00:00Z');
    await deliver();
    expect((await invoicesAtProcessor())[0]).toMatchObject({ total });
    expect((await subscribed.get()).discounts).toMatchObject([
      { level: 'item', processorPriceId: other.processorPriceId, percentOff: 20 },
      { level: 'customer', percentOff: 10 },
    ]);
  });

  it('keeps a payment method that the customer saves meanwhile', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { change, other, scope, customer, payer, deliver, advance, atProcessor } = subscribed;
    await change({ priceId: other.id, when: 'period_end' });
    const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
    const setup = { customerId: payer.id, currency: 'usd', ...urls, metadata: portalSetupMetadata(scope, customer.id) };
    await service.control.checkout((await service.processor.createSetupSession(setup, payer.id)).id);
    await deliver();
    await deliver(); // the events of the subscription that has the new method
    await service.runOperations();
    const saved = (await atProcessor()).defaultPaymentMethodId;
    expect(saved).toMatch(/^pm_/);
    await advance('2026-05-01T02:00:00Z');
    expect(await atProcessor()).toMatchObject({
      defaultPaymentMethodId: saved,
      items: [{ price: { id: other.processorPriceId } }],
    });
  });

  it('carries a discount and a payment method that are set at the processor meanwhile', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { change, other, processorId, payer, deliver, advance, atProcessor, invoicesAtProcessor } = subscribed;
    const { dashboard } = service.account;
    await change({ priceId: other.id, when: 'period_end' });
    const coupon = await dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    const card = await dashboard.paymentMethods.attach('pm_card_mastercard', { customer: payer.id });
    for (const changes of [{ discounts: [{ coupon: coupon.id }] }, { default_payment_method: card.id }]) {
      await dashboard.subscriptions.update(processorId, changes);
      await deliver();
      await service.runOperations();
    }
    await deliver();
    expect(await service.openOperations()).toEqual([]);
    const { discounts } = await atProcessor();
    await advance('2026-05-01T02:00:00Z');
    expect(await atProcessor()).toMatchObject({
      defaultPaymentMethodId: card.id,
      discounts,
      items: [{ price: { id: other.processorPriceId } }],
    });
    expect((await invoicesAtProcessor())[0]).toMatchObject({ total: (5 * 999 - 1) / 2 });
  });

  it('carries automatic tax that is turned on meanwhile', async () => {
    const { id, scope, change, other, payer, deliver, advance, atProcessor } = await subscribeWithOtherPlan(service);
    await change({ priceId: other.id, when: 'period_end' });
    await service.account.dashboard.customers.update(payer.id, { address: { country: 'DE' } });
    await service.call('PUT', `/subscriptions/${id}/tax`, { of: scope, body: { automatic: true } });
    await service.runOperations();
    await deliver();
    await advance('2026-05-01T02:00:00Z');
    expect(await atProcessor()).toMatchObject({
      tax: { automatic: true },
      items: [{ price: { id: other.processorPriceId } }],
    });
  });

  it('carries a discount that becomes known while another change is refused', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { change, decline, other, processorId, deliver, advance, atProcessor } = subscribed;
    const { dashboard } = service.account;
    await change({ priceId: other.id, when: 'period_end' });
    const coupon = await dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    await dashboard.subscriptions.update(processorId, { discounts: [{ coupon: coupon.id }] });
    await decline();
    await service.control.fail({ method: 'POST', path: '/v1/subscriptions', mode: 'held' });
    const refused = change({ quantity: 20, paymentBehavior: 'error_if_incomplete' });
    await expect.poll(() => service.openOperations()).not.toEqual([]);
    await deliver();
    await service.control.clearFaults();
    expect((await refused).status).toBe(422);
    await decline(false);
    await service.runOperations();
    const { discounts } = await atProcessor();
    await advance('2026-05-01T02:00:00Z');
    expect(await atProcessor()).toMatchObject({
      discounts: [{ id: discounts[0]?.id }],
      items: [{ price: { id: other.processorPriceId }, quantity: 5 }],
    });
  });

  it('waits for the end of a trial that is extended at the processor', async () => {
    const subscribed = await subscribeWithOtherPlan(service, {
      more: { trial_end: Date.parse('2026-04-15T00:00:00Z') / 1_000 },
    });
    const { change, other, processorId, deliver, advance, get, atProcessor } = subscribed;
    const { id } = (await change({ priceId: other.id, when: 'period_end' })).body.change;
    const trial_end = Date.parse('2026-04-20T00:00:00Z') / 1_000;
    await service.account.dashboard.subscriptions.update(processorId, { trial_end });
    await deliver();
    await service.runOperations();
    await deliver();
    const effectiveAt = '2026-04-20T00:00:00.000Z';
    expect(await get()).toMatchObject({
      status: 'trialing',
      trialEnd: effectiveAt,
      scheduledChange: { id, effectiveAt },
    });
    await advance('2026-04-15T02:00:00Z');
    expect(await atProcessor()).toMatchObject({
      status: 'trialing',
      items: [{ price: { id: subscribed.price.processorPriceId } }],
    });
    await advance('2026-04-20T02:00:00Z');
    expect(await atProcessor()).toMatchObject({ status: 'active', items: [{ price: { id: other.processorPriceId } }] });
  });

  it.each(['forever', 'once'] as const)(
    'redeems a promotion code once, also if it is redeemed meanwhile: %s',
    async duration => {
      const subscribed = await subscribeWithOtherPlan(service);
      const { change, other, scope, advance, invoicesAtProcessor, preview } = subscribed;
      const { promotionCode } = await service.createPromotionCode({ coupon: { duration } }, scope);
      await change({ priceId: other.id, when: 'period_end', promotionCode: promotionCode.id });
      const body = { quantity: 8, promotionCode: promotionCode.id };
      const total = duration === 'once' ? 8 * 999 : (8 * 999) / 2;
      expect((await preview(body)).body.preview.nextInvoice).toMatchObject({ total });
      expect((await change(body)).status).toBe(200);
      await advance('2026-05-01T02:00:00Z');
      expect((await invoicesAtProcessor())[0]).toMatchObject({ billing_reason: 'subscription_cycle', total });
      const { timesRedeemed } = await service.processor.findPromotionCode(promotionCode.processorPromotionCodeId);
      expect(timesRedeemed).toBe(1);
    },
  );

  it('stays without a promotion code that can be redeemed no more when the quantity changes', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { change, preview, other, scope, atProcessor, invoicesOfChanges, advance, invoicesAtProcessor } = subscribed;
    const { promotionCode } = await service.createPromotionCode({}, scope);
    const { id } = (await change({ priceId: other.id, when: 'period_end', promotionCode: promotionCode.id })).body
      .change;
    const { processorPromotionCodeId } = promotionCode;
    await service.processor.updatePromotionCode(
      processorPromotionCodeId,
      { isActive: false },
      processorPromotionCodeId,
    );
    expect((await preview({ quantity: 8 })).body.preview.nextInvoice).toMatchObject({ total: 8 * 999 });
    const { status, body } = await change({ quantity: 8 });
    expect([status, body.subscription]).toMatchObject([200, { quantity: 8, scheduledChange: { id } }]);
    expect(await invoicesOfChanges()).toMatchObject([{ status: 'paid' }]);
    await expectEqual(subscribed);
    await advance('2026-05-01T02:00:00Z');
    expect((await invoicesAtProcessor())[0]).toMatchObject({ total: 8 * 999 });
    expect(await atProcessor()).toMatchObject({ discounts: [], items: [{ price: { id: other.processorPriceId } }] });
  });

  it('refuses a promotion code that only the processor knows to be refused, in place of another change', async () => {
    const { change, preview, other, scope } = await subscribeWithOtherPlan(service);
    await change({ priceId: other.id, when: 'period_end' });
    const { promotionCode } = await service.createPromotionCode({ firstTimeOnly: true }, scope);
    const body = { priceId: other.id, when: 'period_end', promotionCode: promotionCode.id };
    for (const refused of [await preview(body), await change(body)])
      expect([refused.status, refused.body.error.code]).toEqual([422, 'promotion_code_not_applicable']);
  });

  it('removes the discounts at its end, also after other changes', async () => {
    const coupon = await service.account.dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    const { change, advance, atProcessor } = await subscribeWithOtherPlan(service, {
      more: { discounts: [{ coupon: coupon.id }] },
    });
    await change({ promotionCode: null, when: 'period_end' });
    expect((await change({ quantity: 8 })).status).toBe(200);
    await advance('2026-05-01T02:00:00Z');
    expect(await atProcessor()).toMatchObject({ discounts: [], items: [{ quantity: 8 }] });
  });
});
