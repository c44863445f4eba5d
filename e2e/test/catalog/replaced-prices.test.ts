import { expect, it } from 'vitest';
import { newCustomer, newSubscription, newTenant } from '../../system/tenant.ts';
import { exported, runCatalog } from './run-catalog.ts';

const monthly = (unitAmount: number) => ({
  key: 'pro_monthly',
  unitAmount,
  currency: 'usd',
  interval: 'month' as const,
});
const pro = (unitAmount: number) => ({
  version: 1 as const,
  products: [{ key: 'pro', name: 'Pro', prices: [monthly(unitAmount)] }],
});

it('replaces a price whose amount differs, leaves its subscriptions where they are, and says how they are migrated', async () => {
  const tenant = await newTenant();
  const { billing, processor } = tenant;
  const offered = { planSwitch: { enabled: true, priceKeys: ['pro_monthly'] } };
  await runCatalog(tenant, { ...pro(2_000), portal: offered }, { mode: 'apply' });
  const [old] = (await billing.prices.list({ key: 'pro_monthly' }).page()).items;
  const priceId = old?.id ?? '';
  const sold = [];
  for (let count = 0; count < 3; count += 1) sold.push(await newSubscription(tenant, priceId));

  const { findings } = await runCatalog(tenant, pro(2_500), { mode: 'report' });
  const migration = { fromPriceId: priceId, toPriceKey: 'pro_monthly' };
  expect(findings.find(({ type }) => type === 'price')).toMatchObject({
    key: 'pro_monthly',
    id: priceId,
    action: 'replace',
    liveSubscriptions: 3,
    migration,
  });
  const applied = await runCatalog(tenant, pro(2_500), { mode: 'apply' });
  expect(applied.findings.filter(finding => !finding.applied)).toEqual([]);
  expect(await billing.prices.get(priceId)).toMatchObject({ isActive: false, key: 'pro_monthly' });
  const [current] = (await billing.prices.list({ key: 'pro_monthly' }).page()).items.filter(({ isActive }) => isActive);
  expect(current).toMatchObject({ unitAmount: 2_500 });
  expect((await billing.portalConfig.get()).planSwitch.priceIds).toEqual([current?.id]);
  expect(await exported(tenant)).toContain('2500');
  for (const { id } of sold) expect(await billing.subscriptions.get(id)).toMatchObject({ priceId });

  for (const { processorSubscriptionId } of sold.slice(0, 1)) await processor.renew(processorSubscriptionId);
  expect(await billing.subscriptions.get(sold[0]?.id ?? '')).toMatchObject({ priceId });

  const customerId = await newCustomer(tenant);
  const urls = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };
  const { sessionId } = await billing.checkout.create({ customerId, priceKey: 'pro_monthly', ...urls });
  expect(await processor.checkout(sessionId)).toMatchObject({ amount_total: 2_500 });

  const report = await billing.priceMigrations.create({ ...migration, mode: 'report' });
  expect(report).toMatchObject({ fromPriceId: priceId, toPriceId: current?.id });
});

it('adds an amount in another currency to the price that there is', async () => {
  const tenant = await newTenant();
  await runCatalog(tenant, pro(2_000), { mode: 'apply' });
  const [price] = (await tenant.billing.prices.list().page()).items;
  const inEuros = { ...monthly(2_000), currencyOptions: { eur: { unitAmount: 1_900 } } };
  const wanted = { version: 1 as const, products: [{ key: 'pro', name: 'Pro', prices: [inEuros] }] };
  const { findings } = await runCatalog(tenant, wanted, { mode: 'apply' });
  expect(findings.map(({ key, action, applied }) => [key, action, applied])).toEqual([['pro_monthly', 'update', true]]);
  expect(await tenant.billing.prices.get(price?.id ?? '')).toMatchObject({
    currencyOptions: { eur: { unitAmount: 1_900 } },
  });
  expect((await runCatalog(tenant, wanted, { mode: 'report' })).findings).toEqual([]);
});
