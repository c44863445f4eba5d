import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { portalSetupMetadata } from '@billing/processor/metadata';
import { reconcileOnce } from '@billing/processor/operation-log/testing';
import { followedOf, isOverdue, readManagingSchedule } from '../src/domain/schedule.ts';
import { openSubscriptionsOperationLog } from '../src/operations/open-operation-log.ts';
import { startService, type Service } from './service.ts';
import { expectEqual, subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** A subscription to 5 seats of 12.00 a month since 1 April, on the 13th, and a price of 9.99. */
async function subscribe(options: Parameters<typeof subscribeToSeats>[1] = {}) {
  const subscribed = await subscribeToSeats(service, options);
  const { id, scope, processorId } = subscribed;
  return {
    ...subscribed,
    other: await subscribed.createPrice({ unitAmount: 999 }),
    patch: (cancelAtPeriodEnd: boolean) =>
      service.call('PATCH', `/subscriptions/${id}`, { of: scope, body: { cancelAtPeriodEnd } }),
    descriptionAtProcessor: async () =>
      (await service.account.dashboard.subscriptions.retrieve(processorId)).description,
  };
}

/** Does what the reconciler does, with all operations that are left. */
async function runOperations(): Promise<void> {
  await service.makeDue();
  await reconcileOnce(openSubscriptionsOperationLog(service));
}

describe('a change at the end of the period', () => {
  it('leaves the subscription as it is until then, and is told twice: when it is planned, and when it takes effect', async () => {
    const subscribed = await subscribe({ more: { metadata: { crm: '7' }, description: 'Team plan' } });
    const { change, advance, deliver, updates, get, atProcessor, invoicesAtProcessor, other, descriptionAtProcessor } =
      subscribed;
    const shown = async () => (await subscribed.published()).flatMap(({ data }) => data.shown);
    const before = (await updates()).length;
    const { status, body } = await change({ priceId: other.id, quantity: 3, when: 'period_end' });
    const effectiveAt = '2026-05-01T00:00:00.000Z';
    const items = [{ priceId: other.id, processorPriceId: other.processorPriceId, quantity: 3 }];
    expect([status, body.invoice]).toEqual([200, null]);
    expect(body.change).toMatchObject({ status: 'scheduled', items, effectiveAt });
    expect(body.subscription.scheduledChange).toEqual({ id: body.change.id, items, effectiveAt });
    expect(body.subscription).toMatchObject({ quantity: 5, priceId: subscribed.price.id });
    await expectEqual(subscribed);
    expect((await updates()).slice(before)).toMatchObject([{ previousAttributes: { scheduledChange: null } }]);

    await advance('2026-05-01T02:00:00Z');
    await deliver();
    expect(await get()).toMatchObject({
      priceId: other.id,
      quantity: 3,
      scheduledChange: null,
      metadata: { crm: '7' },
    });
    // From that day on revenue is another.
    const times = (await shown()).flatMap(({ items: [item], at }) => (item?.quantity === 3 ? [at.getTime()] : []));
    expect(new Date(Math.min(...times))).toEqual(new Date(effectiveAt));
    expect((await updates()).slice(before + 1)).toMatchObject([
      { type: 'subscription.updated', previousAttributes: { quantity: 5, scheduledChange: { id: body.change.id } } },
    ]);
    expect((await invoicesAtProcessor())[0]).toMatchObject({ billing_reason: 'subscription_cycle', total: 3 * 999 });
    await runOperations();
    expect(await atProcessor()).toMatchObject({ scheduleId: null, metadata: { crm: '7' } });
    expect(await descriptionAtProcessor()).toBe('Team plan');
    await expectEqual(subscribed);
    expect(await updates()).toHaveLength(before + 2);
  });

  it('takes the place of one that was scheduled before, and is taken back by DELETE', async () => {
    const subscribed = await subscribe();
    const { change, drop, other, atProcessor } = subscribed;
    await change({ quantity: 4, when: 'period_end' });
    const { scheduleId } = await atProcessor();
    const { body } = await change({ priceId: other.id, when: 'period_end' });
    expect(body.subscription.scheduledChange).toMatchObject({ id: body.change.id, items: [{ quantity: 5 }] });
    expect(await atProcessor()).toMatchObject({ scheduleId });
    await expectEqual(subscribed);
    const dropped = await drop();
    expect([dropped.status, dropped.body.subscription.scheduledChange]).toEqual([200, null]);
    expect(await atProcessor()).toMatchObject({ scheduleId: null, items: [{ quantity: 5 }] });
    await expectEqual(subscribed);
    expect([(await drop()).status, (await drop()).body.error.code]).toEqual([404, 'change_not_found']);
  });

  it('follows a quantity that is changed now', async () => {
    const subscribed = await subscribe();
    const { change, other, advance, deliver, get } = subscribed;
    const { id } = (await change({ priceId: other.id, when: 'period_end' })).body.change;
    const { body } = await change({ quantity: 8 });
    expect(body.change.status).toBe('applied');
    expect(body.subscription).toMatchObject({ quantity: 8, scheduledChange: { id, items: [{ quantity: 8 }] } });
    await expectEqual(subscribed);
    await advance('2026-05-01T02:00:00Z');
    await deliver();
    expect(await get()).toMatchObject({ priceId: other.id, quantity: 8, scheduledChange: null });
  });

  it('gives way to another plan that is taken now', async () => {
    const subscribed = await subscribe();
    const { change, other, createPrice, atProcessor } = subscribed;
    await change({ priceId: other.id, when: 'period_end' });
    const { id: priceId } = await createPrice({ unitAmount: 2_500 });
    const { body } = await change({ priceId });
    expect(body.subscription).toMatchObject({ priceId, quantity: 5, scheduledChange: null });
    expect(await atProcessor()).toMatchObject({ scheduleId: null });
    await expectEqual(subscribed);
  });

  it.each([['pending_if_incomplete'], ['error_if_incomplete']])(
    'stands while a change now is not paid: %s',
    async paymentBehavior => {
      const subscribed = await subscribe();
      const { change, drop, decline, other, get, createPrice } = subscribed;
      const { id } = (await change({ priceId: other.id, when: 'period_end' })).body.change;
      await decline();
      const { id: priceId } = await createPrice({ unitAmount: 2_500 });
      const isPending = paymentBehavior === 'pending_if_incomplete';
      expect((await change({ priceId, paymentBehavior })).status).toBe(isPending ? 202 : 422);
      expect(await get()).toMatchObject({ scheduledChange: { id }, quantity: 5 });
      if (isPending) await drop();
      expect(await get()).toMatchObject({ pendingChange: null, scheduledChange: { id } });
      await expectEqual(subscribed);
    },
  );

  it('gives way to another plan that is paid later', async () => {
    const subscribed = await subscribe();
    const { change, decline, other, deliver, createPrice, pay, get } = subscribed;
    await change({ priceId: other.id, when: 'period_end' });
    await decline();
    const { id: priceId } = await createPrice({ unitAmount: 2_500 });
    expect((await change({ priceId })).status).toBe(202);
    await decline(false);
    await pay();
    await deliver();
    await runOperations();
    expect(await get()).toMatchObject({ priceId, quantity: 5, scheduledChange: null, pendingChange: null });
    await expectEqual(subscribed);
  });

  it('is dropped when the subscription is set to end, and stands when it is set to go on', async () => {
    const subscribed = await subscribe();
    const { change, other, patch } = subscribed;
    const { id } = (await change({ priceId: other.id, when: 'period_end' })).body.change;
    expect((await patch(false)).body.subscription.scheduledChange).toMatchObject({ id });
    expect((await patch(true)).body.subscription).toMatchObject({ cancelAtPeriodEnd: true, scheduledChange: null });
    await expectEqual(subscribed);
    const refused = await change({ priceId: other.id, when: 'period_end' });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'subscription_set_to_cancel']);
  });

  it('is not made where somebody else’s schedule manages the subscription', async () => {
    const { change, drop, processorId, atProcessor } = await subscribe();
    const foreign = await service.processor.createSchedule(processorId, processorId);
    for (const when of ['now', 'period_end']) {
      const { status, body } = await change({ quantity: 8, when });
      expect([status, body.error.code]).toEqual([422, 'subscription_has_schedule']);
    }
    expect((await drop()).status).toBe(404);
    expect(await atProcessor()).toMatchObject({ schedule: foreign, items: [{ quantity: 5 }] });
  });

  it('keeps the trial, the discounts and the way of collecting', async () => {
    const coupon = await service.account.dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    const more = { discounts: [{ coupon: coupon.id }], trial_period_days: 14 };
    const subscribed = await subscribe({ more });
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

  it('keeps a payment method that the customer saves meanwhile', async () => {
    const subscribed = await subscribe();
    const { change, other, scope, customer, payer, deliver, advance, atProcessor } = subscribed;
    await change({ priceId: other.id, when: 'period_end' });
    const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
    const setup = { customerId: payer.id, currency: 'usd', ...urls, metadata: portalSetupMetadata(scope, customer.id) };
    await service.control.checkout((await service.processor.createSetupSession(setup, payer.id)).id);
    await deliver();
    await deliver(); // the events of the subscription that has the new method
    await runOperations();
    const saved = (await atProcessor()).defaultPaymentMethodId;
    expect(saved).toMatch(/^pm_/);
    await advance('2026-05-01T02:00:00Z');
    expect(await atProcessor()).toMatchObject({
      defaultPaymentMethodId: saved,
      items: [{ price: { id: other.processorPriceId } }],
    });
  });

  it('carries a discount and a payment method that are set at the processor meanwhile', async () => {
    const subscribed = await subscribe();
    const { change, other, processorId, payer, deliver, advance, atProcessor, invoicesAtProcessor } = subscribed;
    const { dashboard } = service.account;
    await change({ priceId: other.id, when: 'period_end' });
    const coupon = await dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    const card = await dashboard.paymentMethods.attach('pm_card_mastercard', { customer: payer.id });
    for (const changes of [{ discounts: [{ coupon: coupon.id }] }, { default_payment_method: card.id }]) {
      await dashboard.subscriptions.update(processorId, changes);
      await deliver();
      await runOperations();
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

  it('carries a discount that becomes known while another change is refused', async () => {
    const subscribed = await subscribe();
    const { change, decline, other, processorId, deliver, advance, atProcessor } = subscribed;
    const { dashboard } = service.account;
    await change({ priceId: other.id, when: 'period_end' });
    const coupon = await dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    await dashboard.subscriptions.update(processorId, { discounts: [{ coupon: coupon.id }] });
    await decline();
    await service.control.fail({ method: 'POST', path: '/v1/subscriptions', mode: 'slow', delayMs: 2_000, times: 1 });
    const refused = change({ quantity: 20, paymentBehavior: 'error_if_incomplete' });
    await expect.poll(() => service.openOperations()).not.toEqual([]);
    await deliver();
    expect((await refused).status).toBe(422);
    await decline(false);
    await runOperations();
    const { discounts } = await atProcessor();
    await advance('2026-05-01T02:00:00Z');
    expect(await atProcessor()).toMatchObject({
      discounts: [{ id: discounts[0]?.id }],
      items: [{ price: { id: other.processorPriceId }, quantity: 5 }],
    });
  });

  it('waits for the end of a trial that is extended at the processor', async () => {
    const subscribed = await subscribe({ more: { trial_end: Date.parse('2026-04-15T00:00:00Z') / 1_000 } });
    const { change, other, processorId, deliver, advance, get, atProcessor } = subscribed;
    const { id } = (await change({ priceId: other.id, when: 'period_end' })).body.change;
    const trial_end = Date.parse('2026-04-20T00:00:00Z') / 1_000;
    await service.account.dashboard.subscriptions.update(processorId, { trial_end });
    await deliver();
    await runOperations();
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
      const subscribed = await subscribe();
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
    const subscribed = await subscribe();
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

  it('is changed later when the processor refuses that after a change now, which counts', async () => {
    const subscribed = await subscribe();
    const { change, other, deliver } = subscribed;
    await change({ priceId: other.id, when: 'period_end' });
    await service.control.fail({ method: 'POST', path: '/v1/subscription_schedules', mode: '400', times: 1 });
    const { status, body } = await change({ quantity: 8 });
    expect([status, body.change?.status, body.subscription?.quantity]).toEqual([200, 'applied', 8]);
    await runOperations();
    await deliver();
    expect((await subscribed.get()).scheduledChange).toMatchObject({ items: [{ quantity: 8 }] });
    await expectEqual(subscribed);
  });

  it('refuses a promotion code that only the processor knows to be refused, in place of another change', async () => {
    const { change, preview, other, scope } = await subscribe();
    await change({ priceId: other.id, when: 'period_end' });
    const { promotionCode } = await service.createPromotionCode({ firstTimeOnly: true }, scope);
    const body = { priceId: other.id, when: 'period_end', promotionCode: promotionCode.id };
    for (const refused of [await preview(body), await change(body)])
      expect([refused.status, refused.body.error.code]).toEqual([422, 'promotion_code_not_applicable']);
  });

  it('removes the discounts at its end, also after other changes', async () => {
    const coupon = await service.account.dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    const { change, advance, atProcessor } = await subscribe({ more: { discounts: [{ coupon: coupon.id }] } });
    await change({ promotionCode: null, when: 'period_end' });
    expect((await change({ quantity: 8 })).status).toBe(200);
    await advance('2026-05-01T02:00:00Z');
    expect(await atProcessor()).toMatchObject({ discounts: [], items: [{ quantity: 8 }] });
  });

  it.each([
    ['', 'dropped'],
    ['', 'done-but-response-lost'],
    ['', '500'],
    ['', '500-but-done'],
    ['/sub_sched', '500'],
    ['/sub_sched', '500-but-done'],
  ] as const)('is made once although responses about its schedule%s are lost: %s', async (path, mode) => {
    const subscribed = await subscribe();
    const { change, other, atProcessor, get } = subscribed;
    const fault = { method: 'POST', path: `/v1/subscription_schedules${path}`, mode, times: 2 } as const;
    await service.control.fail(fault);
    const headers = { 'idempotency-key': `once-${subscribed.id}` };
    const body = { priceId: other.id, when: 'period_end' };
    let status = 0;
    for (let tries = 0; tries < 5 && status !== 200; tries += 1) {
      ({ status } = await change(body, headers));
      await runOperations();
    }
    expect(status).toBe(200);
    const { schedule } = await atProcessor();
    expect(schedule?.phases).toMatchObject([
      { items: [{ quantity: 5 }] },
      { items: [{ priceId: other.processorPriceId }] },
    ]);
    expect((await get()).scheduledChange).toMatchObject({ id: schedule?.metadata['changeId'] });
    await expectEqual(subscribed);
  });
});

/** What may happen to a subscription, at the same time as something else. */
const ACTIONS = [
  'other later',
  '3 later',
  '8 now',
  'third now',
  'drop',
  'cancel',
  'resume',
  'renew',
  'deliver',
  'coupon there',
  'card there',
  'code later',
  'code',
  'no code',
  'no code later',
] as const;
type Action = (typeof ACTIONS)[number];

it('ends as the processor has it, whatever happens at the same time and whatever responses are lost', async () => {
  const step = fc.record({
    actions: fc.array(fc.constantFrom<Action>(...ACTIONS), { minLength: 1, maxLength: 3 }),
    fault: fc.constantFrom(null, '500', '500-but-done', 'done-but-response-lost', 'dropped'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async steps => {
      await service.control.clearFaults();
      const subscribed = await subscribe();
      const { change, drop, patch, other, createPrice, advance, deliver, atProcessor } = subscribed;
      const third = await createPrice({ unitAmount: 2_500 });
      const { dashboard } = service.account;
      const { id: code } = (await service.createPromotionCode({}, subscribed.scope)).promotionCode;
      const put = (promotionCode: string | null) =>
        service.call('PUT', `/subscriptions/${subscribed.id}/discount`, {
          of: subscribed.scope,
          body: { promotionCode },
        });
      // A fault may hit it too.
      const updateThere = (changes: Parameters<typeof dashboard.subscriptions.update>[1]) =>
        dashboard.subscriptions.update(subscribed.processorId, changes).catch(() => undefined);
      let month = 4;
      const run: Readonly<Record<Action, () => Promise<unknown>>> = {
        'other later': () => change({ priceId: other.id, when: 'period_end' }),
        '3 later': () => change({ quantity: 3, when: 'period_end' }),
        '8 now': () => change({ quantity: 8 }),
        'third now': () => change({ priceId: third.id }),
        drop,
        cancel: () => patch(true),
        resume: () => patch(false),
        'coupon there': async () => {
          const { id: coupon } = await dashboard.coupons.create({ percent_off: 5, duration: 'once' });
          await updateThere({ discounts: [{ coupon }] });
        },
        'card there': async () => {
          const card = await dashboard.paymentMethods.attach('pm_card_visa', { customer: subscribed.payer.id });
          await updateThere({ default_payment_method: card.id });
        },
        'code later': () => change({ promotionCode: code, when: 'period_end' }),
        code: () => put(code),
        'no code': () => put(null),
        'no code later': () => change({ promotionCode: null, when: 'period_end' }),
        renew: async () => month < 8 && advance(`2026-0${(month += 1)}-01T02:00:00Z`),
        deliver,
      };
      for (const { actions, fault } of steps) {
        if (fault) await service.control.fail({ method: 'POST', path: '/v1/subscription', mode: fault, times: 2 });
        await Promise.all(actions.map(action => run[action]()));
        await service.control.clearFaults();
      }
      await runOperations();
      await deliver();
      await runOperations();
      await expectEqual(subscribed);
      expect(await service.openOperations()).toEqual([]);
      const snapshot = await atProcessor();
      const { schedule, scheduleId, discounts } = snapshot;
      const planned = readManagingSchedule(snapshot, null)?.change;
      expect(Boolean(planned)).toBe(scheduleId !== null);
      expect(planned ? isOverdue(planned, followedOf(snapshot)) : false).toBe(false);
      // The next phase keeps the discounts that there are, or removes them all.
      const kept = schedule?.phases.at(-1)?.discounts.flatMap(({ discountId }) => discountId ?? []) ?? [];
      expect([[], discounts.map(({ id }) => id)]).toContainEqual(kept);
    }),
    { numRuns: runs(4) },
  );
});
