import { setTimeout as delay } from 'node:timers/promises';
import type { Subscription } from '@billing/client';
import { fillAccount } from '@billing/local-processor/past';
import { waitFor } from '@billing/testing/wait-for';
import { inject } from 'vitest';
import {
  newCustomer,
  newMonthlyPrice,
  newSubscription,
  newTenant,
  payOnHostedPage,
  type Tenant,
} from '../../system/tenant.ts';
import { runSync } from '../syncs/account.ts';

const CUSTOMERS = 60;

/**
 * A tenant with a past of every kind, which a sync found, and movements of every kind since: revenue that is new, grows, comes
 * back, shrinks and ends, and trials that convert or not.
 */
export async function newTenantWithVariedPast(): Promise<Tenant> {
  const tenant = await newTenant();
  await fillAccount(inject('processorUrl'), tenant.secretKey, CUSTOMERS);
  await runSync(tenant, { mode: 'apply' });
  const { priceId } = await newMonthlyPrice(tenant);
  await grow(tenant, await newSubscription(tenant, priceId), [3]);
  await grow(tenant, await newSubscription(tenant, priceId), [5, 2]);
  await recover(tenant, await newSubscription(tenant, priceId));
  const [ending, converting, leaving] = [
    await newSubscription(tenant, priceId),
    await newTrial(tenant, priceId),
    await newTrial(tenant, priceId),
  ];
  await newTrial(tenant, priceId);
  await nextSecond();
  await tenant.billing.subscriptions.cancelNow(ending.id, { reason: 'too_expensive' });
  await tenant.processor.endTrial(converting.processorSubscriptionId);
  await tenant.billing.subscriptions.cancelNow(leaving.id);
  await untilCounted(tenant, priceId);
  return tenant;
}

/** Waits for another second: an event's time has whole seconds, and two changes in one of them are one moment. */
const nextSecond = (): Promise<void> => delay(1_005 - (Date.now() % 1_000));

async function grow(tenant: Tenant, { id, processorSubscriptionId }: Subscription, quantities: number[]) {
  const path = `/v1/subscriptions/${processorSubscriptionId}`;
  const { items } = await tenant.callProcessor(path);
  for (const quantity of quantities) {
    await nextSecond();
    await tenant.callProcessor(path, { 'items[0][id]': items.data[0].id, 'items[0][quantity]': `${quantity}` });
    await untilShown(tenant, id, subscription => subscription.quantity === quantity);
  }
}

/** Fails a payment and makes up for it. */
async function recover(tenant: Tenant, { id, processorSubscriptionId }: Subscription) {
  await nextSecond();
  await tenant.processor.renew(processorSubscriptionId, 'decline');
  await untilShown(tenant, id, ({ status }) => status === 'past_due');
  await nextSecond();
  await tenant.processor.collect(processorSubscriptionId);
  await untilShown(tenant, id, ({ status }) => status === 'active');
}

async function newTrial(tenant: Tenant, priceId: string): Promise<Subscription> {
  const customerId = await newCustomer(tenant);
  const urls = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };
  const { url } = await tenant.billing.checkout.create({ customerId, priceId, trialDays: 14, ...urls });
  await payOnHostedPage(url);
  const find = async () => {
    const { items } = await tenant.billing.subscriptions.list({ customerId, activeOnly: false }).page();
    return items[0]?.status === 'trialing' ? items[0] : undefined;
  };
  return waitFor(find, { what: 'the trial to start' });
}

const untilShown = (tenant: Tenant, id: string, isSo: (subscription: Subscription) => boolean) =>
  waitFor(async () => isSo(await tenant.billing.subscriptions.get(id)), {
    what: 'the change of the subscription',
  });

/**
 * Waits until analytics counts the same statuses as the list of subscriptions has, and the quantities of those with the given
 * price, which has one amount a month.
 */
async function untilCounted({ billing }: Tenant, priceId: string) {
  const { unitAmount } = await billing.prices.get(priceId);
  const isCounted = async () => {
    const { subscriptionBreakdown: counted, trialConversion } = await billing.analytics.get({ growthDays: 7 });
    const all = await Array.fromAsync(billing.subscriptions.list({ activeOnly: false }));
    const shown = Object.fromEntries(
      [...Map.groupBy(all, ({ status }) => status)].map(([name, of]) => [name, of.length]),
    );
    const isEqual = Object.entries(counted).every(([status, count]) => (shown[status] ?? 0) === count);
    const rows = await Array.fromAsync(billing.analytics.subscriptions({ metric: 'mrr' }));
    const amounts = new Map(rows.map(({ subscriptionId, amount }) => [subscriptionId, Number(amount)]));
    const behind = all.filter(
      ({ id, status, quantity, ...of }) =>
        of.priceId === priceId && status === 'active' && amounts.get(id) !== (unitAmount ?? 0) * (quantity ?? 0),
    );
    if (isEqual && behind.length === 0 && trialConversion.ended >= 2) return true;
    throw new Error(JSON.stringify({ counted, shown, trialConversion, behind }));
  };
  await waitFor(isCounted, { what: 'every subscription to be counted' });
}
