import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, it } from 'vitest';
import { errorOf, ok } from '../../system/http.ts';
import { newCustomer, newEmail, newLiveProject, newSubscription } from '../../system/tenant.ts';
import { newClock, openProject, sell, START, whenReady } from './clocks.ts';

let project: Awaited<ReturnType<typeof openProject>>;
beforeAll(async () => {
  project = await openProject();
});

it('starts at the present time unless another is given', async () => {
  const { billing } = project.tenant;
  const before = Date.now();
  const { now, deletesAt, ...clock } = await billing.testClocks.create({ name: 'Now' });
  expect(Date.parse(now)).toBeGreaterThan(before - 60_000);
  expect(Date.parse(now)).toBeLessThan(Date.now() + 60_000);
  expect(Date.parse(deletesAt)).toBeGreaterThan(Date.now() + 29 * 86_400_000);
  expect(clock).toMatchObject({ name: 'Now', status: 'ready', target: null, customerIds: [] });
  expect(await billing.testClocks.get(clock.id)).toMatchObject({ ...clock, now });
  expect((await billing.testClocks.list({ limit: 1 }).page()).items).toMatchObject([{ id: clock.id }]);
});

it('is created once for a key', async () => {
  const { billing } = project.tenant;
  const create = () => billing.testClocks.create({ name: 'Once' }, { idempotencyKey: 'one-clock' });
  const [first, second] = [await create(), await create()];
  expect(second).toEqual(first);
});

it('has three customers, who are new at the processor though their e-mails are known there', async () => {
  const { tenant } = project;
  const { billing, callProcessor } = tenant;
  const email = newEmail();
  const known = await callProcessor('/v1/customers', { email });
  const { id: testClockId, processorTestClockId } = await billing.testClocks.create({ name: 'Three', now: START });
  const first = await billing.customers.create({ email, testClockId });
  expect(first).toMatchObject({ testClockId });
  expect(first.processorCustomerId).not.toBe(known.id);
  expect(await callProcessor(`/v1/customers/${first.processorCustomerId}`)).toMatchObject({
    test_clock: processorTestClockId,
  });
  for (const more of [newEmail(), newEmail()]) await billing.customers.create({ email: more, testClockId });
  const fourth = billing.customers.create({ email: newEmail(), testClockId });
  expect(await errorOf(fourth)).toMatchObject({ status: 422, code: 'quota_exceeded' });
  expect((await billing.testClocks.get(testClockId)).customerIds).toHaveLength(3);
});

it('takes a customer who exists, with what was sold to it', async () => {
  const { tenant, priceId } = project;
  const { billing } = tenant;
  const { customerId, id } = await newSubscription(tenant, priceId);
  const clock = await billing.testClocks.create({ name: 'Later', customerId });
  expect(clock.customerIds).toEqual([customerId]);
  expect(await billing.customers.get(customerId)).toMatchObject({ testClockId: clock.id });
  await billing.testClocks.advance(clock.id, { until: 'next_invoice' });
  await whenReady(tenant, clock.id);
  const { items } = await billing.invoices.list({ subscriptionId: id }).page();
  expect(items.map(({ status }) => status)).toEqual(['paid', 'paid']);
});

it('advances once at a time, and takes no customer meanwhile', async () => {
  const { tenant } = project;
  const { billing, processor } = tenant;
  const { clock } = await newClock(tenant);
  await processor.fail({ path: '/v1/test_helpers', method: 'GET', mode: 'slow', delayMs: 1_000, times: 2 });
  await billing.testClocks.advance(clock.id, { to: '2030-03-01T00:00:00Z' });
  const advancing = { status: 409, code: 'test_clock_advancing' };
  const again = billing.testClocks.advance(clock.id, { to: '2030-03-02T00:00:00Z' });
  expect(await errorOf(again)).toMatchObject(advancing);
  const another = billing.customers.create({ email: newEmail(), testClockId: clock.id });
  expect(await errorOf(another)).toMatchObject(advancing);
  expect(await whenReady(tenant, clock.id)).toMatchObject({ now: '2030-03-01T00:00:00.000Z' });
});

const isGone = (read: () => Promise<unknown>) => async () =>
  read().then(
    () => false,
    (err: unknown) => Object(err).status === 404,
  );

it('is deleted with its customers, here and at the processor', async () => {
  const { tenant, priceId } = project;
  const { billing, callProcessor } = tenant;
  const { clock, customer } = await newClock(tenant);
  const subscription = await sell(tenant, customer.id, priceId);
  await billing.testClocks.delete(clock.id);
  expect(await errorOf(billing.testClocks.get(clock.id))).toMatchObject({ status: 404, code: 'test_clock_not_found' });
  expect(await errorOf(billing.testClocks.delete(clock.id))).toMatchObject({ status: 404 });
  expect(await errorOf(billing.customers.get(customer.id))).toMatchObject({ status: 404 });
  await expect(callProcessor(`/v1/test_helpers/test_clocks/${clock.processorTestClockId}`)).rejects.toThrow('404');
  const isCanceled = async () => (await billing.subscriptions.get(subscription.id)).status === 'canceled';
  await waitFor(isCanceled, { what: 'the subscription to end' });
  await billing.customers.create({ email: customer.email ?? '' });
});

it('is gone once it is deleted at the processor', async () => {
  const { tenant } = project;
  const { billing, callProcessor } = tenant;
  const { clock, customer } = await newClock(tenant);
  await callProcessor(`/v1/test_helpers/test_clocks/${clock.processorTestClockId}`, undefined, 'DELETE');
  await waitFor(
    isGone(() => billing.customers.get(customer.id)),
    { what: 'its customer to be gone' },
  );
  expect(await errorOf(billing.testClocks.get(clock.id))).toMatchObject({ status: 404, code: 'test_clock_not_found' });
});

it('leaves a customer in real time where it is, and gives it a card that behaves as wanted', async () => {
  const { tenant, priceId } = project;
  const { billing } = tenant;
  const customerId = await newCustomer(tenant);
  const buy = () => billing.checkout.create({ customerId, priceId, collect: 'saved' });
  for (const card of ['declines', 'authentication'] as const) {
    await billing.customers.setTestCard(customerId, { card });
    expect(await errorOf(buy())).toMatchObject({ status: 422, code: 'payment_failed' });
  }
  await billing.customers.setTestCard(customerId, { card: 'ok' });
  expect((await buy()).subscription).toMatchObject({ status: 'active' });
});

it('does not exist for other projects', async () => {
  const other = await openProject();
  const { clock } = await newClock(project.tenant);
  const { billing } = other.tenant;
  const missing = { status: 404, code: 'test_clock_not_found' };
  expect(await errorOf(billing.testClocks.get(clock.id))).toMatchObject(missing);
  const customer = billing.customers.create({ email: newEmail(), testClockId: clock.id });
  expect(await errorOf(customer)).toMatchObject(missing);
});

it('exists only in test mode, like cards that behave as wanted', async () => {
  const { user, P } = await newLiveProject();
  const { customer } = await ok(user.post(`${P}/customers`, { email: newEmail() }), 201);
  for (const call of [
    user.post(`${P}/test-clocks`, { name: 'Live' }),
    user.put(`${P}/customers/${customer.id}/test-card`, { card: 'ok' }),
  ]) {
    const { status, body } = await call;
    expect([status, body.error.code]).toEqual([422, 'live_mode']);
  }
});
