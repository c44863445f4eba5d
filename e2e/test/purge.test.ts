import { randomBytes } from 'node:crypto';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { ok } from '../system/http.ts';
import { newDelivery } from '../system/webhook-records.ts';
import { newCustomer, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../system/tenant.ts';

const newKey = () => `sk_test_${randomBytes(12).toString('hex')}`;

/** How much of each kind the project shows. */
async function countRecords({ user, P }: Tenant): Promise<Record<string, number>> {
  const lists = [
    ['products?activeOnly=false', 'products'],
    ['prices?activeOnly=false', 'prices'],
    ['customers', 'customers'],
    ['subscriptions?activeOnly=false', 'subscriptions'],
    ['invoices', 'invoices'],
    ['payments', 'payments'],
    ['referrals/codes?activeOnly=false', 'codes'],
    ['portal/sessions', 'sessions'],
    ['webhook-events', 'webhookEvents'],
    ['events', 'events'],
    ['webhook-deliveries', 'deliveries'],
  ] as const;
  const counts = await Promise.all(
    lists.map(async ([path, name]) => [name, (await ok(user.get(`${P}/${path}`)))[name].length as number] as const),
  );
  return Object.fromEntries(counts);
}

it('purges everything that mirrors an account, and starts anew with another one', async () => {
  const tenant = await newTenant();
  const { user, teamPath, billing } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const { customerId } = await newSubscription(tenant, priceId);
  await billing.portal.create({ customerId });
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 500 });
  await billing.referrals.createCode({ customerId });
  const { webhookEndpointId } = await newDelivery(tenant, customerId);
  await drain(tenant);
  const newest = async () => (await ok(user.get(`${tenant.P}/events?order=desc&limit=1`))).events[0];
  const { position } = await newest();
  const before = await countRecords(tenant);
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
  expect(await billing.analytics.get()).toMatchObject({ mrr: 2_999, customerCount: 1 });

  const purge = (confirm: string) => user.send('DELETE', `${teamPath}/processor?purge=true`, { confirm });
  expect((await purge('Other')).body.error.code).toBe('confirmation_required');
  await ok(purge('Acme'));
  const secretKey = newKey();
  await waitFor(async () => (await user.post(`${teamPath}/processor/connect`, { secretKey })).status === 200, {
    what: 'another account to be connected',
  });

  const after = await countRecords(tenant);
  expect(after).toEqual(Object.fromEntries(Object.keys(before).map(name => [name, 0])));
  const metrics = await billing.analytics.get();
  expect(metrics).toMatchObject({ mrr: 0, customerCount: 0, webhookStats: { total: 0 } });
  // Settings of the project mirror no account.
  expect(await billing.referrals.config()).toMatchObject({ enabled: true });

  // The team works with the other account, and its events are taken in.
  const again = await newMonthlyPrice(tenant);
  const renewed = await newCustomer(tenant);
  const { url } = await billing.checkout.create({
    customerId: renewed,
    priceId: again.priceId,
    successUrl: 'https://shop.example/',
    cancelUrl: 'https://shop.example/',
  });
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  await waitFor(async () => (await billing.analytics.get()).mrr === 2_999, {
    what: 'the revenue of the other account',
  });
  expect(await countRecords(tenant)).toMatchObject({ products: 1, prices: 1, customers: 1, subscriptions: 1 });
  // Endpoints stay, and positions go on.
  const next = await newest();
  expect(next.position).toBeGreaterThan(position);
  await ok(user.post(`${tenant.P}/webhook-endpoints/${webhookEndpointId}/send`, { eventId: next.id }), 202);
});
