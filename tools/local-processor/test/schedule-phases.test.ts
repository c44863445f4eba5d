import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { amountsOf, invoiceOf, seconds, startOnClock } from './change-fixtures.ts';
import { idOf } from './checkout-fixtures.ts';
import { startProcessor } from './processor.ts';

type Item = Stripe.SubscriptionScheduleUpdateParams.Phase.Item;
type More = Partial<Stripe.SubscriptionScheduleUpdateParams.Phase>;

/** A subscription of two seats in April that a schedule changes at the end of the period. */
async function startScheduled(
  processor: { url: string },
  { amount = 2_000, next, more = {} }: { amount?: number; next: { amount: number; interval?: 'year' }; more?: More },
) {
  const account = await startOnClock(processor, '2026-04-01', { amount, quantity: 2 });
  const { stripe, subscription, price } = account;
  const other = await account.createPrice(next.amount, next.interval ?? 'month');
  const created = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  const first = { start_date: seconds('2026-04-01'), end_date: seconds('2026-05-01') };
  const kept: Item[] = [{ price: price.id, quantity: 2 }];
  const second = { items: [{ price: other.id, quantity: 2 }], proration_behavior: 'none' as const, ...more };
  const update = (phases: Stripe.SubscriptionScheduleUpdateParams.Phase[], rest: object = {}) =>
    stripe.subscriptionSchedules.update(created.id, { phases, ...rest });
  const schedule = await update([{ ...first, items: kept }, second], { metadata: { change: '1' } });
  const read = () => stripe.subscriptionSchedules.retrieve(created.id);
  return { ...account, other, schedule, first, kept, second, update, read };
}

test('changes the plan at the end of the period, and is released after the next phase', async () => {
  await using processor = await startProcessor();
  const account = await startScheduled(processor, { next: { amount: 900 } });
  const { schedule, other, item } = account;
  expect(schedule).toMatchObject({
    status: 'active',
    metadata: { change: '1' },
    phases: [
      { start_date: seconds('2026-04-01'), end_date: seconds('2026-05-01') },
      { start_date: seconds('2026-05-01'), end_date: seconds('2026-06-01'), items: [{ price: other.id, quantity: 2 }] },
    ],
  });
  expect((await account.current()).items.data).toMatchObject([{ price: { id: account.price.id }, quantity: 2 }]);
  expect(await account.invoices()).toHaveLength(1);
  const preview = await account.preview({});
  expect(amountsOf(preview)).toEqual([1_800]);

  await account.advance('2026-05-01');

  const changed = await account.current();
  expect(changed).toMatchObject({ schedule: schedule.id, items: { data: [{ id: item, price: { id: other.id } }] } });
  expect(invoiceOf(changed)).toMatchObject({ total: 1_800, billing_reason: 'subscription_cycle' });
  expect(await account.read()).toMatchObject({ status: 'active', current_phase: { end_date: seconds('2026-06-01') } });
  await account.advance('2026-06-01');
  expect(await account.read()).toMatchObject({ status: 'released', released_subscription: changed.id });
  expect(await account.current()).toMatchObject({ schedule: null, items: { data: [{ price: { id: other.id } }] } });
});

test('begins the period of another interval with its phase', async () => {
  await using processor = await startProcessor();
  const account = await startScheduled(processor, { next: { amount: 20_000, interval: 'year' } });
  expect(amountsOf(await account.preview({}))).toEqual([40_000]);
  await account.advance('2026-05-01');
  const changed = await account.current();
  expect(changed.billing_cycle_anchor).toBe(seconds('2026-05-01'));
  expect(changed.items.data[0]?.current_period_end).toBe(seconds('2027-05-01'));
  expect(invoiceOf(changed).total).toBe(40_000);
});

test('does nothing once it is released', async () => {
  await using processor = await startProcessor();
  const account = await startScheduled(processor, { next: { amount: 900 } });
  await account.stripe.subscriptionSchedules.release(account.schedule.id);
  expect(amountsOf(await account.preview({}))).toEqual([4_000]);
  await account.advance('2026-05-01');
  expect(invoiceOf(await account.current()).total).toBe(4_000);
});

test('carries a discount that its phases name, and loses one that they leave out', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 2_000 });
  const { stripe, subscription, price } = account;
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' });
  await account.change({ discounts: [{ coupon: coupon.id }] });
  const [discount] = (await account.current()).discounts;
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  expect(schedule.phases[0]?.discounts).toMatchObject([{ discount }]);
  const items = [{ price: price.id }];
  const discounts = [{ discount: idOf(schedule.phases[0]?.discounts[0]?.discount ?? null) }];
  const first = { start_date: seconds('2026-04-01'), end_date: seconds('2026-05-01'), items, discounts };
  await stripe.subscriptionSchedules.update(schedule.id, { phases: [first, { items, discounts }] });
  expect((await account.preview({})).total).toBe(1_000);
  await stripe.subscriptionSchedules.update(schedule.id, { phases: [first, { items }] });
  expect((await account.current()).discounts).toEqual([discount]);
  expect((await account.preview({})).total).toBe(2_000);
  await account.advance('2026-05-01');
  expect(await account.current()).toMatchObject({ discounts: [], latest_invoice: { total: 2_000 } });
});

test('carries the discount of an item that its phases name to another price, and loses one that they leave out', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 2_000 });
  const { stripe, subscription, price, item } = account;
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' });
  await account.change({ items: [{ id: item, discounts: [{ coupon: coupon.id }] }] });
  const { id: product } = await stripe.products.create({ name: 'Another' });
  const monthly = { currency: 'usd', recurring: { interval: 'month' as const } };
  const other = await stripe.prices.create({ product, unit_amount: 900, ...monthly });
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  const discount = idOf(schedule.phases[0]?.items[0]?.discounts[0]?.discount ?? null);
  const [kept, changed] = [price, other].map(({ id }) => [{ price: id, discounts: [{ discount }] }]);
  const first = { start_date: seconds('2026-04-01'), end_date: seconds('2026-05-01'), items: kept ?? [] };
  const plan = (items: Item[]) =>
    stripe.subscriptionSchedules.update(schedule.id, { phases: [first, { items, proration_behavior: 'none' }] });
  await plan([{ price: other.id }]);
  expect((await account.preview({})).total).toBe(900);
  await plan(changed ?? []);
  expect((await account.preview({})).total).toBe(450);
  await account.advance('2026-05-01');
  const items = { data: [{ id: item, price: { id: other.id }, discounts: [discount] }] };
  expect(await account.current()).toMatchObject({ items, latest_invoice: { total: 450 } });
});

test('keeps what was changed meanwhile in its current phase', async () => {
  await using processor = await startProcessor();
  const account = await startScheduled(processor, { next: { amount: 900 } });
  await account.advance('2026-04-16');
  const changed = await account.change({ ...account.to({ quantity: 5 }), proration_behavior: 'always_invoice' });
  expect(changed).toMatchObject({ schedule: account.schedule.id, items: { data: [{ quantity: 5 }] } });
  expect((await account.read()).phases).toMatchObject([{ items: [{ quantity: 5 }] }, { items: [{ quantity: 2 }] }]);
  const phases = [
    { ...account.first, items: [{ price: account.price.id, quantity: 5 }] },
    { ...account.second, items: [{ price: account.other.id, quantity: 5 }] },
  ];
  await account.update(phases, { proration_behavior: 'none' });
  expect(amountsOf(await account.preview({}))).toEqual([4_500]);
});

test('begins a phase without a discount that is spent by then', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 2_000 });
  const { stripe, subscription, price } = account;
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'once' });
  await account.change({ discounts: [{ coupon: coupon.id }] });
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  const [discount] = (await account.current()).discounts;
  const discounts = [{ discount: idOf(discount ?? null) }];
  const first = { start_date: seconds('2026-04-01'), end_date: seconds('2026-05-01') };
  const phases = [
    { ...first, items: [{ price: price.id }], discounts },
    { items: [{ price: price.id, quantity: 2 }], discounts },
  ];
  await stripe.subscriptionSchedules.update(schedule.id, { phases });
  await account.change({
    ...account.to({ quantity: 3 }),
    proration_behavior: 'always_invoice',
    billing_cycle_anchor: { type: 'now' },
  });
  await account.advance('2026-05-02');
  expect(await account.current()).toMatchObject({ discounts: [], items: { data: [{ quantity: 2 }] } });
});

test('ends the trial of a phase that does not name its end', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 2_000 });
  const { stripe, subscription, price } = account;
  const trialEnd = seconds('2026-04-15');
  await stripe.subscriptions.update(subscription.id, { trial_end: trialEnd });
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  const [created] = schedule.phases;
  const items = [{ price: price.id }];
  const first = { start_date: created?.start_date ?? 0, end_date: trialEnd, items };
  await stripe.subscriptionSchedules.update(schedule.id, { phases: [{ ...first, trial_end: trialEnd }, { items }] });
  expect(await account.current()).toMatchObject({ status: 'trialing', trial_end: trialEnd });
  await stripe.subscriptionSchedules.update(schedule.id, { phases: [first, { items }] });
  expect(await account.current()).toMatchObject({ status: 'active' });
});

test('prorates a phase that begins within a period', async () => {
  await using processor = await startProcessor();
  const account = await startScheduled(processor, { next: { amount: 4_000 } });
  const half = seconds('2026-04-16');
  const later = { ...account.second, end_date: seconds('2026-06-01'), proration_behavior: 'always_invoice' as const };
  await account.update([{ ...account.first, end_date: half, items: account.kept }, later]);
  await account.advance('2026-04-17');
  const changed = await account.current();
  expect(amountsOf(invoiceOf(changed))).toEqual([-2_000, 4_000]);
  expect(invoiceOf(changed)).toMatchObject({ created: half, billing_reason: 'subscription_update' });
});

test('sets metadata with its phase, and ends the subscription after the last one', async () => {
  await using processor = await startProcessor();
  const account = await startScheduled(processor, { next: { amount: 900 }, more: { metadata: { plan: 'small' } } });
  await account.stripe.subscriptionSchedules.update(account.schedule.id, { end_behavior: 'cancel' });
  expect((await account.current()).cancel_at).toBe(seconds('2026-06-01'));
  await account.advance('2026-05-01');
  expect(await account.current()).toMatchObject({ status: 'active', metadata: { plan: 'small' } });
  await account.advance('2026-06-01');
  expect(await account.current()).toMatchObject({ status: 'canceled', ended_at: seconds('2026-06-01') });
  expect((await account.read()).status).toBe('completed');
});

test('refuses phases that do not follow each other or name what is not there', async () => {
  await using processor = await startProcessor();
  const { update, first, kept, second, read } = await startScheduled(processor, { next: { amount: 900 } });
  const before = await read();
  const wrong: Stripe.SubscriptionScheduleUpdateParams.Phase[][] = [
    [{ items: kept }],
    [{ ...first, start_date: first.start_date + 1, items: kept }],
    [
      { ...first, items: kept },
      { ...second, start_date: first.end_date + 1 },
    ],
    [{ ...first, end_date: first.start_date, items: kept }],
    [{ ...first, items: [{ price: 'price_none' }] }],
    [{ ...first, items: kept, discounts: [{ coupon: 'none' }] }],
    [{ ...first, items: kept, duration: { interval: 'month' } }],
  ];
  for (const phases of wrong) await expect(update(phases)).rejects.toMatchObject({ statusCode: 400 });
  expect(await read()).toEqual(before);
});

test('previews the next invoice as if it had other phases, without changing them', async () => {
  await using processor = await startProcessor();
  const account = await startScheduled(processor, { next: { amount: 900 } });
  const { stripe, schedule, first, kept, second, other } = account;
  const preview = (phases: Stripe.InvoiceCreatePreviewParams.ScheduleDetails.Phase[]) =>
    stripe.invoices.createPreview({ schedule: schedule.id, schedule_details: { phases, proration_behavior: 'none' } });
  const three = { ...second, items: [{ price: other.id, quantity: 3 }] };
  expect(amountsOf(await preview([{ ...first, items: kept }, three]))).toEqual([2_700]);
  expect(amountsOf(await preview([{ ...first, items: kept }]))).toEqual([4_000]);
  expect(amountsOf(await account.preview({}))).toEqual([1_800]);
  const both = { schedule: schedule.id, subscription: account.subscription.id };
  await expect(stripe.invoices.createPreview(both)).rejects.toMatchObject({ statusCode: 400 });
});
