import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, it } from 'vitest';
import { newClock, openProject, sell, START, whenReady } from './clocks.ts';

const DAY_MS = 86_400_000;
const RENEWAL = '2030-02-28T12:00:00.000Z';

let project: Awaited<ReturnType<typeof openProject>>;
beforeAll(async () => {
  project = await openProject();
});

/** Starts a subscription on a clock of its own. */
async function subscribe({ trialDays }: { trialDays?: number } = {}) {
  const { tenant, priceId } = project;
  const { billing } = tenant;
  const { clock, customer } = await newClock(tenant);
  const subscription = await sell(tenant, customer.id, priceId, trialDays);
  return {
    billing,
    clock,
    customer,
    subscription,
    advance: async (wanted: { to: string } | { until: 'next_invoice' | 'trial_end' | 'period_end' }) => {
      await billing.testClocks.advance(clock.id, wanted);
      return whenReady(tenant, clock.id);
    },
    state: () => billing.states.get(customer.id),
    /** Everything that tenants are told of the customer, oldest first. */
    events: async () =>
      (await Array.fromAsync(billing.events.list({ order: 'asc', limit: 100 }))).filter(event =>
        JSON.stringify(event.data).includes(customer.id),
      ),
  };
}

it('ends the grace of a declined payment at the time of the clock', async () => {
  const { billing, clock, customer, advance, state, events } = await subscribe();
  await waitFor(async () => (await state()).entitlements['seats'], { what: 'the seats' });
  await billing.customers.setTestCard(customer.id, { card: 'declines' });

  await advance({ until: 'next_invoice' });
  const inGrace = await state();
  const finalized = '2030-02-28T13:00:00.000Z';
  expect(inGrace).toMatchObject({ testClockId: clock.id, asOf: finalized });
  expect(inGrace.payment).toMatchObject({ status: 'past_due', pastDueSince: finalized });
  const { graceEndsAt } = inGrace.payment;
  expect(inGrace.entitlements['seats']).toMatchObject({ value: 5, until: graceEndsAt });

  const justBefore = new Date(Date.parse(String(graceEndsAt)) - 1_000).toISOString();
  await advance({ to: justBefore });
  expect((await state()).entitlements).toHaveProperty('seats');
  await advance({ to: new Date(Date.parse(String(graceEndsAt)) + 1_000).toISOString() });
  expect((await state()).entitlements).toEqual({});
  const newest = (await events()).findLast(({ type }) => type === 'customer.state_changed');
  expect(newest?.data).toMatchObject({ entitlements: {} });
});

it('is past due, and takes back a grant, by the time of the clock', async () => {
  const { tenant, priceId } = project;
  const { billing } = tenant;
  const { clock, customer } = await newClock(tenant);
  const advance = async (days: number) => {
    await billing.testClocks.advance(clock.id, { to: new Date(Date.parse(START) + days * DAY_MS).toISOString() });
    await whenReady(tenant, clock.id);
  };
  const pastDue = async () => {
    const { items } = await billing.invoices.list({ customerId: customer.id, pastDue: true }).page();
    return items.length;
  };
  const seats = async () => (await billing.states.get(customer.id)).entitlements['seats']?.value;
  const expiresAt = new Date(Date.parse(START) + 5 * DAY_MS).toISOString();
  await billing.grants.set(customer.id, 'seats', { value: 50, expiresAt });
  await billing.checkout.create({ customerId: customer.id, priceId, collect: 'invoice', daysUntilDue: 10 });

  await advance(4);
  await waitFor(async () => (await seats()) === 50, { what: 'the grant' });
  expect(await pastDue()).toBe(0);
  await advance(11);
  expect(await seats()).toBe(5);
  expect(await pastDue()).toBe(1);
});

it('goes on until the invoice of the next period is no draft', async () => {
  const { billing, customer, advance } = await subscribe();
  expect(await advance({ until: 'period_end' })).toMatchObject({ now: RENEWAL });
  const draft = (await billing.invoices.list({ customerId: customer.id }).page()).items[0];
  expect(draft).toMatchObject({ status: 'draft' });
  expect(await advance({ until: 'next_invoice' })).toMatchObject({ now: '2030-02-28T13:00:00.000Z' });
  expect(await billing.invoices.get(String(draft?.id))).toMatchObject({ status: 'paid' });
});

it('comes to the end of a trial, and to nothing after the end of a subscription', async () => {
  const { billing, clock, subscription, advance } = await subscribe({ trialDays: 14 });
  const end = new Date(Date.parse(START) + 14 * DAY_MS).toISOString();
  expect(await advance({ until: 'trial_end' })).toMatchObject({ now: end });
  await expect(billing.testClocks.advance(clock.id, { until: 'trial_end' })).rejects.toMatchObject({
    status: 422,
    code: 'nothing_ahead',
  });
  await billing.subscriptions.cancelNow(subscription.id);
  await expect(billing.testClocks.advance(clock.id, { until: 'period_end' })).rejects.toMatchObject({
    code: 'nothing_ahead',
  });
});

it('tells tenants of what happens in real time, though the clock is years ahead', async () => {
  const before = Date.now();
  const { advance, events } = await subscribe();
  await advance({ until: 'next_invoice' });
  const told = await events();
  for (const { timestamp } of told) {
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before - 60_000);
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now() + 60_000);
  }
  const count = (wanted: string) => told.filter(({ type }) => type === wanted).length;
  expect([count('invoice.paid'), count('payment.succeeded')]).toEqual([2, 2]);
});

it('asks for a time ahead, and no more than two years', async () => {
  const { billing, clock } = await subscribe();
  const advance = (to: string) => billing.testClocks.advance(clock.id, { to });
  await expect(advance(START)).rejects.toMatchObject({ status: 422, code: 'time_not_ahead' });
  await expect(advance('2032-02-01T00:00:00Z')).rejects.toMatchObject({ status: 400, code: 'validation_error' });
});
