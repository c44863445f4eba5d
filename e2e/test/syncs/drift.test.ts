import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { newEmail, newTenant } from '../../system/tenant.ts';
import { billedCustomer, newAccount, runSync } from './account.ts';

it('finds every difference that no webhook told, and nothing else, and repairs them', async () => {
  const tenant = await newTenant();
  const { billing, callProcessor, processor } = tenant;
  const account = await newAccount(tenant, 8);
  const spare = await callProcessor('/v1/products', { name: 'Spare' });
  const newCode = async (coupon: string): Promise<string> =>
    (await callProcessor('/v1/promotion_codes', { 'promotion[type]': 'coupon', 'promotion[coupon]': coupon })).id;
  const newCoupon = async (): Promise<string> =>
    (await callProcessor('/v1/coupons', { percent_off: '20', duration: 'forever', name: 'Spring' })).id;
  const [coupon, spareCoupon] = [await newCoupon(), await newCoupon()];
  const code = await newCode(coupon);
  await runSync(tenant, { mode: 'apply' });
  const subscriptions = await Array.fromAsync(billing.subscriptions.list());
  const bySubscriber = new Map(subscriptions.map(one => [one.customerId, one.processorSubscriptionId]));
  const customers = await Array.fromAsync(billing.customers.list());
  const [renamed, readdressed, marked, deleted, ending, paused, canceled, renewed] = customers.map(one => ({
    id: one.processorCustomerId,
    subscription: bySubscriber.get(one.id) ?? '',
  }));
  if (!renamed || !readdressed || !marked || !deleted || !ending || !paused || !canceled || !renewed)
    throw new Error('The account has eight customers.');

  await processor.setDeliveryRules({ hold: true });
  const change = (path: string, form: Readonly<Record<string, string>>) => callProcessor(path, form);
  const gone = (path: string) => callProcessor(path, undefined, 'DELETE');
  const newestCharge = async (customer: string): Promise<string> =>
    (await callProcessor(`/v1/charges?customer=${customer}`)).data[0].id;
  const planted: string[] = [];
  const plant = (type: string, id: string, outcome: string) => planted.push(`${type} ${id} ${outcome}`);

  await change(`/v1/products/${account.productId}`, { name: 'New plan' });
  plant('product', account.productId, 'different');
  await change(`/v1/prices/${account.priceId}`, { active: 'false' });
  plant('price', account.priceId, 'different');
  await gone(`/v1/products/${spare.id}`);
  plant('product', spare.id, 'extra');
  await change(`/v1/coupons/${coupon}`, { name: 'Summer' });
  plant('coupon', coupon, 'different');
  await gone(`/v1/coupons/${spareCoupon}`);
  plant('coupon', spareCoupon, 'extra');
  await change(`/v1/promotion_codes/${code}`, { active: 'false' });
  plant('promotion_code', code, 'different');
  const addedCoupon = await newCoupon();
  plant('coupon', addedCoupon, 'missing');
  plant('promotion_code', await newCode(addedCoupon), 'missing');
  const added = await newAccount(tenant, 2);
  plant('product', added.productId, 'missing');
  plant('price', added.priceId, 'missing');
  for (const id of added.customerIds) plant('customer', id, 'missing');
  for (const customer of added.customerIds) {
    const { data } = await callProcessor(`/v1/subscriptions?customer=${customer}&status=all`);
    plant('subscription', data[0].id, 'missing');
    plant('invoice', data[0].latest_invoice, 'missing');
    plant('payment', await newestCharge(customer), 'missing');
  }
  const lonely = await billedCustomer(tenant, newEmail(), null);
  plant('customer', lonely, 'missing');
  await change(`/v1/customers/${renamed.id}`, { name: 'Grace Hopper' });
  plant('customer', renamed.id, 'different');
  await change(`/v1/customers/${readdressed.id}`, { email: newEmail() });
  plant('customer', readdressed.id, 'different');
  await change(`/v1/customers/${marked.id}`, { 'metadata[tier]': 'gold' });
  plant('customer', marked.id, 'different');
  await gone(`/v1/customers/${deleted.id}`);
  plant('customer', deleted.id, 'extra');
  plant('subscription', deleted.subscription, 'different');
  await change(`/v1/subscriptions/${ending.subscription}`, { cancel_at_period_end: 'true' });
  plant('subscription', ending.subscription, 'different');
  await change(`/v1/subscriptions/${paused.subscription}`, { 'pause_collection[behavior]': 'void' });
  plant('subscription', paused.subscription, 'different');
  await gone(`/v1/subscriptions/${canceled.subscription}`);
  plant('subscription', canceled.subscription, 'different');
  const { latest_invoice: renewal } = await processor.renew(renewed.subscription);
  plant('subscription', renewed.subscription, 'different');
  plant('invoice', String(renewal), 'missing');
  plant('payment', await newestCharge(renewed.id), 'missing');
  expect(planted).toHaveLength(30);

  const seen = (findings: readonly { type: string; processorId: string | null; outcome: string }[]) =>
    findings.map(one => `${one.type} ${one.processorId} ${one.outcome}`).toSorted((a, b) => a.localeCompare(b));
  const report = await runSync(tenant, { mode: 'report' });
  expect(seen(report.findings)).toEqual(planted.toSorted((a, b) => a.localeCompare(b)));

  const repair = await runSync(tenant, { mode: 'apply' });
  expect(repair.findings.filter(one => !one.applied)).toEqual([]);
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);

  await processor.setDeliveryRules({ hold: false });
  await processor.release({ seed: 7 });
  await processor.waitForDeliveries();
  await waitFor(async () => (await billing.webhookEvents.list({ status: 'received' }).page()).total === 0, {
    what: 'the late webhooks to be handled',
  });
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
});
