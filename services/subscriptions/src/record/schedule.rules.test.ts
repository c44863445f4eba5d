import { SubscriptionChangeId } from '@billing/contracts/ids';
import type { NewPhase } from '@billing/processor/plan-changes';
import type { ScheduleSnapshot } from '@billing/processor/snapshots/schedule';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  basisOf,
  followedPlan,
  isOverdue,
  plannedPhases,
  planOf,
  readManagingSchedule,
  type Followed,
} from './schedule.rules.ts';

const at = (day: number) => new Date(Date.UTC(2026, 3, day));
const item = (processorPriceId: string, quantity: number) => ({ processorPriceId, quantity });

const id = SubscriptionChangeId.create();
type Phase = ScheduleSnapshot['phases'][number];
function schedule(
  from: string,
  items: Phase['items'],
  { metadata = {}, discounts = [] }: Partial<Pick<Phase, 'metadata' | 'discounts'>> = {},
): ScheduleSnapshot {
  const common = { discounts: [], metadata: {} };
  return {
    id: 'sub_sched_1',
    status: 'active',
    subscriptionId: 'sub_1',
    endBehavior: 'release',
    currentPhase: { startsAt: at(1), endsAt: at(30) },
    phases: [
      { ...common, startsAt: at(1), endsAt: at(30), items: [] },
      { ...common, startsAt: at(30), endsAt: at(60), items, discounts },
    ],
    metadata: { changeId: id, changeFrom: from, ...metadata },
    createdAt: at(1),
  };
}

const current: Followed = {
  currentPeriodStart: at(1),
  currentPeriodEnd: at(30),
  items: [item('price_a', 5), item('price_b', 1)],
  discountIds: ['di_1'],
  defaultPaymentMethodId: 'pm_1',
  taxAutomatic: false,
};

describe('the plan of a subscription', () => {
  it('is the same in any order, and another one for other prices or quantities', () => {
    const items = fc.uniqueArray(fc.record({ processorPriceId: fc.string(), quantity: fc.nat() }), {
      selector: one => one.processorPriceId,
      minLength: 1,
    });
    fc.assert(
      fc.property(items, all => {
        expect(planOf(all.toReversed())).toBe(planOf(all));
        expect(planOf(all.map((one, index) => (index ? one : { ...one, quantity: one.quantity + 1 })))).not.toBe(
          planOf(all),
        );
        expect(planOf([...all.slice(1), item('another price', 1)])).not.toBe(planOf(all));
      }),
    );
  });

  it('fits into a value of metadata for as many items as a subscription has', () => {
    const items = Array.from({ length: 20 }, (_, index) => item(`price_${index}`.padEnd(40, 'x'), 999_999));
    expect(basisOf({ ...current, items }).length).toBeLessThan(500);
  });
});

describe('a planned change', () => {
  const next = [
    { priceId: 'price_c', quantity: 4 },
    { priceId: 'price_b', quantity: 1 },
  ];
  const planned = schedule(basisOf(current), next);
  const kept = (discountId: string) => ({ discountId, couponId: null, promotionCodeId: null });
  const redeems = (promotionCodeId: string) => ({ discountId: null, couponId: null, promotionCodeId });
  const followed = (
    one: ScheduleSnapshot,
    now: Partial<Followed> = {},
    { discounts = [kept('di_1')], redeemed = [] }: Partial<Parameters<typeof followedPlan>[1]> = {},
  ) => followedPlan(one, { ...current, ...now, discounts, redeemed });

  it('is read from a schedule of ours, and from no other', () => {
    const read = (one: ScheduleSnapshot) => readManagingSchedule({ scheduleId: one.id, schedule: one }, null)?.change;
    expect(read(planned)).toMatchObject({ id, effectiveAt: at(30), items: [item('price_c', 4), item('price_b', 1)] });
    expect(read({ ...planned, metadata: {} })).toBeNull();
    expect(read({ ...planned, metadata: { ...planned.metadata, changeId: 'mine' } })).toBeNull();
    expect(read({ ...planned, phases: planned.phases.slice(1) })).toBeNull();
  });

  it('stays as it is while the subscription does', () => {
    expect(followed(planned)).toEqual({ items: next, discounts: [kept('di_1')] });
  });

  it('takes over a quantity that has changed, of the same price or of the one that it replaces', () => {
    const items = [item('price_a', 8), item('price_b', 2)];
    expect(followed(planned, { items })?.items).toMatchObject([{ quantity: 8 }, { quantity: 2 }]);
    expect(followed(planned, { items: [item('price_a', 5), item('price_b', 2)] })?.items).toMatchObject([
      { quantity: 4 },
      { quantity: 2 },
    ]);
  });

  it('is over once it has taken effect, another plan was taken, or nothing of it is left', () => {
    expect(followed(planned, { currentPeriodStart: at(30) })).toBeNull();
    expect(followed(planned, { items: [item('price_d', 5), item('price_b', 1)] })).toBeNull();
    const fewer = schedule(planOf([item('price_a', 5)]), [{ priceId: 'price_a', quantity: 3 }]);
    expect(followed(fewer, { items: [item('price_a', 8)] })).toBeNull();
  });

  it('redeems its codes beside the discounts of by then, but none that was redeemed meanwhile', () => {
    const discounts = [kept('di_2')];
    const both = schedule(basisOf(current), next, { discounts: [kept('di_1'), redeems('promo_1')] });
    expect(followed(both, {}, { discounts })?.discounts).toEqual([kept('di_2'), redeems('promo_1')]);
    expect(followed(both, {}, { discounts, redeemed: ['promo_1'] })?.discounts).toEqual(discounts);
    const items = current.items.map(({ processorPriceId: priceId, quantity }) => ({ priceId, quantity }));
    const onlyCode = schedule(basisOf(current), items, { discounts: [kept('di_1'), redeems('promo_1')] });
    expect(followed(onlyCode)).toMatchObject({ items });
    expect(followed(onlyCode, {}, { redeemed: ['promo_1'] })).toBeNull();
  });

  it('removes discounts until there are none', () => {
    const items = current.items.map(({ processorPriceId: priceId, quantity }) => ({ priceId, quantity }));
    const removing = schedule(basisOf(current), items, { metadata: { changeDiscounts: 'none' } });
    const more = [item('price_a', 8), item('price_b', 1)];
    expect(followed(removing, { items: more })).toMatchObject({ items: [{ quantity: 8 }, {}], discounts: [] });
    expect(followed(removing, { items: more }, { discounts: [] })).toBeNull();
  });

  it('removes only the discounts that there were when it was scheduled', () => {
    const removing = schedule(basisOf(current), next, { metadata: { changeDiscounts: 'di_0,di_1' } });
    const discounts = [kept('di_1'), kept('di_2')];
    expect(followed(removing, {}, { discounts })?.discounts).toEqual([kept('di_2')]);
  });

  it('is overdue exactly when following changes it', () => {
    const change = readManagingSchedule({ scheduleId: 's', schedule: planned }, null)?.change;
    if (!change) throw new Error('The schedule is ours.');
    expect(isOverdue(change, current)).toBe(false);
    expect(isOverdue(change, { ...current, currentPeriodStart: at(30), currentPeriodEnd: at(60) })).toBe(true);
    expect(isOverdue(change, { ...current, currentPeriodEnd: at(37) })).toBe(true);
    expect(isOverdue(change, { ...current, items: [item('price_a', 6), item('price_b', 1)] })).toBe(true);
    expect(isOverdue(change, { ...current, discountIds: [] })).toBe(true);
    expect(isOverdue(change, { ...current, defaultPaymentMethodId: null })).toBe(true);
    expect(isOverdue(change, { ...current, taxAutomatic: true })).toBe(true);
  });
});

it('plans phases that keep all that the subscription has but for the items', () => {
  const phase: NewPhase = {
    items: [
      { priceId: 'price_a', quantity: 5, settings: { tax_rates: ['txr_1'] } },
      { priceId: 'price_b', quantity: null },
    ],
    settings: { default_payment_method: 'pm_1' },
    trialEnd: at(30),
    discounts: [{ discountId: 'di_1', couponId: null, promotionCodeId: null }],
    metadata: {},
    proration: 'none',
  };
  const items = [
    { priceId: 'price_c', quantity: 3 },
    { priceId: 'price_b', quantity: null },
  ];
  const { trialEnd: _until, ...kept } = phase;
  expect(plannedPhases(phase, { startsAt: at(1), endsAt: at(30) }, { items, discounts: phase.discounts })).toEqual([
    { ...phase, startsAt: at(1), endsAt: at(30) },
    { ...kept, items: [{ ...items[0], settings: { tax_rates: ['txr_1'] } }, items[1]] },
  ]);
});
