import { expect } from 'vitest';
import { type ApiAccount, idOf } from './account.ts';
import { apiCase } from './case.ts';
import { amountsOf, APRIL, changing, type Moment } from './plan-changes.ts';

/** Puts a subscription under a schedule whose second phase has another price; discounts stay. */
async function scheduleNext({ stripe, once }: ApiAccount, { subscription }: Moment, price: string, quantity: number) {
  const from_subscription = subscription.id;
  const created = await stripe.subscriptionSchedules.create({ from_subscription }, once());
  const [current] = created.phases;
  if (!current) throw new Error('The schedule has no phase.');
  const { start_date, end_date } = current;
  const discounts = current.discounts.map(({ discount }) => ({ discount: idOf(discount) }));
  const items = current.items.map(item => ({ price: idOf(item.price), quantity: item.quantity ?? 1 }));
  const phases = [
    { start_date, end_date, items, discounts },
    { items: [{ price, quantity }], discounts, proration_behavior: 'none' as const },
  ];
  const wanted = { end_behavior: 'release' as const, metadata: { change: '1' }, phases };
  return stripe.subscriptionSchedules.update(created.id, wanted, once());
}

export const schedulePhaseCases = [
  apiCase('changes the plan at the end of the period, with its discounts', async account => {
    const { stripe, once, record, createPrice, findEvent } = account;
    const cheaper = await createPrice({ unit_amount: 900 });
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' }, once());
    const situation = { ...APRIL, amount: 2_000, quantity: 2, discounts: [{ coupon: coupon.id }] };
    await changing(account, situation, async moment => {
      const { subscription, preview, advance } = moment;
      const schedule = record('schedule', await scheduleNext(account, moment, cheaper.id, 2));
      expect(schedule.phases).toHaveLength(2);
      const kept = await stripe.subscriptions.retrieve(subscription.id);
      expect(kept.items.data).toMatchObject([{ quantity: 2, price: { unit_amount: 2_000 } }]);
      const upcoming = record('preview', await preview({}));
      expect([amountsOf(upcoming), upcoming.total]).toEqual([[1_800], 900]);
      await advance(30 * 86_400 + 7_200);
      const changed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
      expect(record('changed', changed)).toMatchObject({
        items: { data: [{ quantity: 2, price: { id: cheaper.id } }] },
        latest_invoice: { total: 900, billing_reason: 'subscription_cycle' },
      });
      expect(changed.discounts).toHaveLength(1);
      await findEvent('subscription_schedule.updated', schedule.id);
      const released = await stripe.subscriptionSchedules.release(schedule.id, {}, once());
      expect(released).toMatchObject({ status: 'released' });
      expect((await stripe.subscriptions.retrieve(subscription.id)).items.data[0]?.price.id).toBe(cheaper.id);
    });
  }),

  apiCase('begins another interval with its phase', async account => {
    const yearly = await account.createPrice({ unit_amount: 20_000, recurring: { interval: 'year' } });
    await changing(account, { ...APRIL, amount: 2_000 }, async moment => {
      await scheduleNext(account, moment, yearly.id, 1);
      await moment.advance(30 * 86_400 + 7_200);
      const changed = await account.stripe.subscriptions.retrieve(moment.subscription.id);
      expect(changed.billing_cycle_anchor).toBe(Date.parse('2026-05-01T00:00:00Z') / 1_000);
      expect(changed.items.data[0]?.current_period_end).toBe(Date.parse('2027-05-01T00:00:00Z') / 1_000);
    });
  }),

  apiCase('refuses phases that begin at another time', async account => {
    await changing(account, { ...APRIL, amount: 2_000 }, async ({ subscription }) => {
      const { stripe, once, refusalOf } = account;
      const wanted = { from_subscription: subscription.id };
      const { id, phases } = await stripe.subscriptionSchedules.create(wanted, once());
      const items = [{ price: idOf(subscription.items.data[0]?.price), quantity: 1 }];
      const late = { start_date: (phases[0]?.start_date ?? 0) + 60, end_date: phases[0]?.end_date ?? 0, items };
      const attempt = stripe.subscriptionSchedules.update(id, { phases: [late] }, once());
      expect(await refusalOf('start', attempt)).toMatchObject({ status: 400 });
    });
  }),
];
