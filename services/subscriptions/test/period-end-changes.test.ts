import type { ProjectScope } from '@billing/contracts/ids';
import { planChange } from '@billing/contracts/resources/plan-change';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSubscriptionsOperationLog } from '../src/open-operation-log.ts';
import { changePlan } from '../src/plan-changes/change-plan.ts';
import type { SubscriptionKey } from '../src/record/subscription-rows.ts';
import { startService, type Service } from './service.ts';
import { expectEqual, subscribeWithOtherPlan } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** Changes plans at a processor that does something else, too. */
function changeBy(processorOf: (processor: Processor) => Processor) {
  const processors = { of: async () => processorOf(service.processor) };
  const operationLog = openSubscriptionsOperationLog({ ...service, processors });
  const change = changePlan({ ...service, processors, operationLog });
  return (scope: ProjectScope, key: SubscriptionKey, wanted: object) =>
    change(scope, key, withPriceIds(planChange).parse(wanted), testAuditContext());
}

describe('a change at the end of the period', () => {
  it('leaves the subscription as it is until then, and is told twice: when it is planned, and when it takes effect', async () => {
    const subscribed = await subscribeWithOtherPlan(service, {
      more: { metadata: { crm: '7' }, description: 'Team plan' },
    });
    const { change, advance, deliver, updates, get, atProcessor, invoicesAtProcessor, other, processorId } = subscribed;
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
    await service.runOperations();
    expect(await atProcessor()).toMatchObject({ scheduleId: null, metadata: { crm: '7' } });
    const { description } = await service.account.dashboard.subscriptions.retrieve(processorId);
    expect(description).toBe('Team plan');
    await expectEqual(subscribed);
    expect(await updates()).toHaveLength(before + 2);
  });

  it('takes the place of one that was scheduled before, and is taken back by DELETE', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
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
    const subscribed = await subscribeWithOtherPlan(service);
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
    const subscribed = await subscribeWithOtherPlan(service);
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
      const subscribed = await subscribeWithOtherPlan(service);
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
    const subscribed = await subscribeWithOtherPlan(service);
    const { change, decline, other, deliver, createPrice, pay, get } = subscribed;
    await change({ priceId: other.id, when: 'period_end' });
    await decline();
    const { id: priceId } = await createPrice({ unitAmount: 2_500 });
    expect((await change({ priceId })).status).toBe(202);
    await decline(false);
    await pay();
    await deliver();
    await service.runOperations();
    expect(await get()).toMatchObject({ priceId, quantity: 5, scheduledChange: null, pendingChange: null });
    await expectEqual(subscribed);
  });

  it('is dropped when the subscription is set to end, and stands when it is set to go on', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { change, other, patch } = subscribed;
    const { id } = (await change({ priceId: other.id, when: 'period_end' })).body.change;
    expect((await patch(false)).body.subscription.scheduledChange).toMatchObject({ id });
    expect((await patch(true)).body.subscription).toMatchObject({ cancelAtPeriodEnd: true, scheduledChange: null });
    await expectEqual(subscribed);
    const refused = await change({ priceId: other.id, when: 'period_end' });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'subscription_set_to_cancel']);
  });

  it('is not made where somebody else’s schedule manages the subscription', async () => {
    const { change, drop, processorId, atProcessor } = await subscribeWithOtherPlan(service);
    const foreign = await service.processor.createSchedule(processorId, processorId);
    for (const when of ['now', 'period_end']) {
      const { status, body } = await change({ quantity: 8, when });
      expect([status, body.error.code]).toEqual([422, 'subscription_has_schedule']);
    }
    expect((await drop()).status).toBe(404);
    expect(await atProcessor()).toMatchObject({ schedule: foreign, items: [{ quantity: 5 }] });
  });

  it.each([
    ['before it has a schedule', ['createSchedule']],
    ['before that has its phases', ['findAsPhase']],
    ['each time', ['createSchedule', 'setPhases']],
  ] as const)('is planned for the next end when the period ends %s', async (_case, endings) => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { id, scope, other, advance, deliver, get, atProcessor } = subscribed;
    const left = new Set<keyof Processor>(endings);
    let month = 4;
    const endBefore = async (call: keyof Processor) => {
      if (left.delete(call)) await advance(`2026-0${(month += 1)}-01T02:00:00Z`);
    };
    const whenItEnds = (processor: Processor): Processor => ({
      ...processor,
      createSchedule: async (...args) => {
        await endBefore('createSchedule');
        return processor.createSchedule(...args);
      },
      findAsPhase: async subscription => {
        await endBefore('findAsPhase');
        return processor.findAsPhase(subscription);
      },
      setPhases: async (...args) => {
        await endBefore('setPhases');
        return processor.setPhases(...args);
      },
    });
    const made = await changeBy(whenItEnds)(scope, { id }, { priceId: other.id, when: 'period_end' });
    const effectiveAt = new Date(Date.UTC(2026, month, 1));
    expect(made).toMatchObject({ change: { status: 'scheduled', effectiveAt }, invoice: null });
    await expectEqual(subscribed);
    const { schedule, scheduleId } = await atProcessor();
    expect(schedule?.phases).toHaveLength(2);
    const all = (await service.account.dashboard.subscriptionSchedules.list({ customer: subscribed.payer.id })).data;
    expect(all.filter(({ status }) => status === 'active').map(one => one.id)).toEqual([scheduleId]);
    await advance(new Date(effectiveAt.getTime() + 3_600_000));
    await deliver();
    expect(await get()).toMatchObject({ priceId: other.id, scheduledChange: null });
  });

  it('finds the schedules of two periods again after its end was lost', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { id, scope, other, advance } = subscribed;
    let isEnding = true;
    const onceEnded = (processor: Processor): Processor => ({
      ...processor,
      findAsPhase: async subscription => {
        if (isEnding) await advance('2026-05-01T02:00:00Z');
        else
          await service.control.fail({
            method: 'POST',
            path: '/v1/subscription_schedules/',
            mode: 'dropped',
            times: 9,
          });
        isEnding = false;
        return processor.findAsPhase(subscription);
      },
    });
    const wanted = { priceId: other.id, when: 'period_end' };
    await expect(changeBy(onceEnded)(scope, { id }, wanted)).rejects.toMatchObject({ code: 'unavailable' });
    await service.control.clearFaults();
    await service.runOperations();
    expect(await service.openOperations()).toEqual([]);
    await subscribed.deliver();
    expect((await subscribed.get()).scheduledChange).toMatchObject({ effectiveAt: '2026-06-01T00:00:00.000Z' });
    await expectEqual(subscribed);
  });

  it('is refused when what was planned before takes effect while it is being scheduled', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { id, scope, other, advance, change, createPrice, get } = subscribed;
    await change({ priceId: other.id, when: 'period_end' });
    const third = await createPrice({ unitAmount: 500 });
    const takingEffect = (processor: Processor): Processor => ({
      ...processor,
      findAsPhase: async subscription => {
        await advance('2026-05-01T02:00:00Z');
        return processor.findAsPhase(subscription);
      },
    });
    const refused = changeBy(takingEffect)(scope, { id }, { priceId: third.id, when: 'period_end' });
    await expect(refused).rejects.toMatchObject({ code: 'conflict' });
    await service.runOperations();
    await subscribed.deliver();
    await service.runOperations();
    expect(await get()).toMatchObject({ priceId: other.id, scheduledChange: null });
    await expectEqual(subscribed);
  });

  it('is changed later when the processor refuses that after a change now, which counts', async () => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { change, other, deliver } = subscribed;
    await change({ priceId: other.id, when: 'period_end' });
    await service.control.fail({ method: 'POST', path: '/v1/subscription_schedules', mode: '400', times: 1 });
    const { status, body } = await change({ quantity: 8 });
    expect([status, body.change?.status, body.subscription?.quantity]).toEqual([200, 'applied', 8]);
    await service.runOperations();
    await deliver();
    expect((await subscribed.get()).scheduledChange).toMatchObject({ items: [{ quantity: 8 }] });
    await expectEqual(subscribed);
  });

  it.each([
    ['', 'dropped'],
    ['', 'done-but-response-lost'],
    ['', '500'],
    ['', '500-but-done'],
    ['/sub_sched', '500'],
    ['/sub_sched', '500-but-done'],
  ] as const)('is made once although responses about its schedule%s are lost: %s', async (path, mode) => {
    const subscribed = await subscribeWithOtherPlan(service);
    const { change, other, atProcessor, get } = subscribed;
    const fault = { method: 'POST', path: `/v1/subscription_schedules${path}`, mode, times: 2 } as const;
    await service.control.fail(fault);
    const headers = { 'idempotency-key': `once-${subscribed.id}` };
    const body = { priceId: other.id, when: 'period_end' };
    let status = 0;
    for (let tries = 0; tries < 5 && status !== 200; tries += 1) {
      ({ status } = await change(body, headers));
      await service.runOperations();
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
