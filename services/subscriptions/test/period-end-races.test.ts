import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { followedOf, isOverdue, readManagingSchedule } from '../src/record/schedule.rules.ts';
import { startService, type Service } from './service.ts';
import { expectEqual, subscribeWithOtherPlan } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

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
      const subscribed = await subscribeWithOtherPlan(service);
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
      await service.runOperations();
      await deliver();
      await service.runOperations();
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
