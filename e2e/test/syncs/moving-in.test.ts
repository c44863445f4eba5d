import { describe, expect, it } from 'vitest';
import { waitFor } from '@billing/testing/wait-for';
import {
  listFromProcessor,
  newCustomer,
  newEmail,
  newMonthlyPrice,
  newSiblingProject,
  newTenant,
  type Tenant,
} from '../../system/tenant.ts';
import { ok } from '../../system/http.ts';
import { billedCustomer, newAccount, runSync } from './account.ts';

/** Everything that the project's API and the processor show. */
async function everything(tenant: Tenant) {
  const { billing } = tenant;
  const lists = ['/v1/products', '/v1/prices', '/v1/customers', '/v1/invoices'];
  return JSON.stringify([
    await Array.fromAsync(billing.products.list({ activeOnly: false })),
    await Array.fromAsync(billing.prices.list({ activeOnly: false })),
    await Array.fromAsync(billing.customers.list()),
    await Array.fromAsync(billing.subscriptions.list({ activeOnly: false })),
    await Array.fromAsync(billing.invoices.list()),
    await Promise.all(lists.map(path => listFromProcessor(tenant, path))),
  ]);
}

describe('moving in with an account', () => {
  it('reports what is missing and changes nothing, takes it all over, and finds nothing more', async () => {
    const tenant = await newTenant();
    const { billing } = tenant;
    const account = await newAccount(tenant, 3);
    const nameless = await billedCustomer(tenant, null, account.priceId);
    const shared = newEmail();
    const paying = await billedCustomer(tenant, shared, account.priceId);
    const other = await billedCustomer(tenant, shared.toUpperCase(), null);

    const before = await everything(tenant);
    const report = await runSync(tenant, { mode: 'report' });
    expect(report.sync.counts).toMatchObject({
      product: { missing: 1, applied: 0 },
      price: { missing: 1, applied: 0 },
      customer: { missing: 5, conflict: 1, applied: 0 },
      subscription: { missing: 5, applied: 0 },
      invoice: { missing: 5, applied: 0 },
      payment: { missing: 5, applied: 0 },
    });
    expect(report.sync.progress).toMatchObject({ customer: { read: 6, total: 6 } });
    expect(report.findings.find(({ outcome }) => outcome === 'conflict')).toMatchObject({
      processorId: other,
      reason: expect.stringContaining(paying),
    });
    expect(await everything(tenant)).toBe(before);

    const applied = await runSync(tenant, { mode: 'apply' });
    expect(applied.findings.filter(one => one.outcome === 'missing' && !one.applied)).toEqual([]);
    const customers = await Array.fromAsync(billing.customers.list());
    expect(new Set(customers.map(one => one.processorCustomerId))).toEqual(
      new Set([...account.customerIds, nameless, paying]),
    );
    expect(customers.find(one => one.processorCustomerId === nameless)).toMatchObject({
      email: null,
      name: 'Nameless',
    });
    const subscriptions = await Array.fromAsync(billing.subscriptions.list());
    const [price] = await Array.fromAsync(billing.prices.list());
    expect(subscriptions).toHaveLength(5);
    for (const subscription of subscriptions)
      expect(subscription).toMatchObject({ status: 'active', priceId: price?.id });
    const invoices = await Array.fromAsync(billing.invoices.list());
    expect(invoices).toHaveLength(5);
    const payments = await Array.fromAsync(billing.payments.list());
    expect(payments.map(({ status }) => status)).toEqual(invoices.map(() => 'succeeded'));
    expect(new Set(payments.map(({ invoiceId }) => invoiceId))).toEqual(new Set(invoices.map(({ id }) => id)));
    await waitFor(async () => (await billing.analytics.get()).mrr === 7_500, { what: 'the revenue' });

    const again = await runSync(tenant, { mode: 'apply' });
    expect(again.findings.map(({ outcome }) => outcome)).toEqual(['conflict']);
  });

  it('takes only what the filter leaves to each of two projects', async () => {
    const tenant = await newTenant();
    const shop = await newAccount(tenant, 2, { app: 'shop' });
    const forum = await newAccount(tenant, 1, { app: 'forum' });
    const { findings } = await runSync(tenant, { mode: 'apply', filter: { metadata: { app: 'shop' } } });
    const foreign = findings.filter(({ outcome }) => outcome === 'skipped');
    expect(new Set(foreign.map(({ reason }) => reason))).toEqual(
      new Set(['foreign', 'product_skipped', 'customer_skipped']),
    );
    expect(foreign.map(one => one.processorId)).toEqual(
      expect.arrayContaining([forum.productId, forum.priceId, ...forum.customerIds]),
    );
    const customers = await Array.fromAsync(tenant.billing.customers.list());
    expect(new Set(customers.map(one => one.processorCustomerId))).toEqual(new Set(shop.customerIds));
    const other = await newSiblingProject(tenant);
    await runSync(other, { mode: 'apply', filter: { metadata: { app: 'forum' } } });
    const others = await Array.fromAsync(other.billing.customers.list());
    expect(others.map(one => one.processorCustomerId)).toEqual(forum.customerIds);
  });

  it('marks what it takes over at the processor if it is told to, and else nothing', async () => {
    const tenant = await newTenant();
    const { customerIds, productId, priceId } = await newAccount(tenant, 1);
    await runSync(tenant, { mode: 'apply' });
    const paths = [`/v1/products/${productId}`, `/v1/prices/${priceId}`, `/v1/customers/${customerIds[0]}`];
    const marks = () =>
      Promise.all(paths.map(async path => (await tenant.callProcessor(path)).metadata as Record<string, string>));
    expect(await marks()).toEqual([{}, {}, {}]);
    await runSync(tenant, { mode: 'apply', markAtProcessor: true });
    const [customer] = await Array.fromAsync(tenant.billing.customers.list());
    const { teamId, projectId } = tenant;
    expect(await marks()).toMatchObject([
      { teamId, projectId },
      { teamId, projectId, priceId: expect.stringMatching(/^pri_/) },
      { teamId, projectId, customerId: customer?.id },
    ]);
    await tenant.processor.waitForDeliveries();
    expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
  });

  it('never revives what was deleted here, and says that earlier days are estimated', async () => {
    const tenant = await newTenant();
    const { billing } = tenant;
    const { customerIds } = await newAccount(tenant, 2);
    await runSync(tenant, { mode: 'apply' });
    const customers = await Array.fromAsync(billing.customers.list());
    const deleted = customers.find(one => one.processorCustomerId === customerIds[0]);
    await billing.customers.delete(String(deleted?.id));
    const { findings } = await runSync(tenant, { mode: 'apply', types: ['customer'] });
    expect(findings).toMatchObject([
      { processorId: customerIds[0], outcome: 'skipped', reason: 'deleted_here', applied: false },
    ]);
    expect(await Array.fromAsync(billing.customers.list())).toHaveLength(1);

    await waitFor(async () => (await billing.analytics.history({ days: 3 })).history[0]?.estimated, {
      what: 'the days before the sync to be marked',
    });
    const { history } = await billing.analytics.history({ days: 3 });
    expect(history.map(({ estimated }) => estimated ?? false)).toEqual([true, true, false]);
    const { customerGrowth } = await billing.analytics.get({ growthDays: 2 });
    expect(customerGrowth.at(-1)).not.toHaveProperty('estimated');
    expect(customerGrowth[0]).toMatchObject({ estimated: true });
  });

  it('converts no referral', async () => {
    const tenant = await newTenant();
    const { billing, processor, callProcessor } = tenant;
    await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 });
    const [referrer, referee] = [await newCustomer(tenant), await newCustomer(tenant)];
    const { code } = await billing.referrals.createCode({ customerId: referrer });
    await billing.referrals.apply({ code, refereeCustomerId: referee });
    const { priceId } = await newMonthlyPrice(tenant);
    const { processorPriceId } = await billing.prices.get(priceId);
    const { processorCustomerId: customer } = await billing.customers.get(referee);
    await processor.setDeliveryRules({ hold: true });
    await callProcessor('/v1/subscriptions', { customer, 'items[0][price]': processorPriceId, trial_period_days: '7' });
    const { findings } = await runSync(tenant, { mode: 'apply', types: ['subscription'] });
    expect(findings).toMatchObject([{ type: 'subscription', outcome: 'missing', applied: true }]);
    await waitFor(async () => (await billing.analytics.get()).subscriptionBreakdown.trialing === 1, {
      what: 'the subscription to be counted',
    });
    expect((await billing.referrals.getCode(code)).referrals).toMatchObject([{ status: 'pending' }]);
  });

  it('runs one sync of a team at a time, and stops when it is canceled', async () => {
    const tenant = await newTenant();
    const { billing, user, P } = tenant;
    await newAccount(tenant, 3);
    const { id } = (await ok(user.post(`${P}/syncs`, { mode: 'apply' }), 202)).sync;
    expect((await user.post(`${P}/syncs`, { mode: 'report' })).body.error.code).toBe('sync_running');
    expect(await billing.syncs.cancel(id)).toMatchObject({ status: 'canceled' });
    const { findings } = await runSync(tenant, { mode: 'apply' });
    expect(findings.filter(one => !one.applied)).toEqual([]);
    expect(await billing.syncs.get(id)).toMatchObject({ status: 'canceled' });
  });
});
