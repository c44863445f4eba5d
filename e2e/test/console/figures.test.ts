import { readFile } from 'node:fs/promises';
import { waitFor } from '@billing/testing/wait-for';
import { expect } from 'vitest';
import { newMonthlyPrice, newSubscription, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

inBrowser('opens the subscriptions behind MRR, which add up to it, and saves them', async ({ visit }) => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  // A third of it is no whole cent, so rounding each part would not give the sum.
  const yearly = await billing.prices.create({ productId, unitAmount: 10_000, currency: 'usd', interval: 'year' });
  await newSubscription(tenant, priceId);
  for (let count = 0; count < 3; count += 1) await newSubscription(tenant, yearly.id);
  await waitFor(async () => (await billing.analytics.get()).subscriptionBreakdown.active === 4, {
    what: 'all four in the metrics',
  });
  const { mrr } = await billing.analytics.get();
  expect(mrr).toBe(2_999 + 2_500);

  const page = await visit(pageOf(tenant, 'overview'), tenant);
  await page.getByRole('link', { name: /^MRR \$54\.99/ }).click();
  await page.getByText('Sum of 4 subscriptions; MRR is $54.99').waitFor();
  expect(await page.getByTestId('sum').innerText()).toBe('$54.99');
  expect(await page.locator('tbody tr').count()).toBe(4);

  await page.getByRole('link', { name: 'Subscriptions', exact: true }).click();
  await page.getByLabel('Product').selectOption(productId);
  await page.getByLabel('Price').selectOption({ label: 'Pro: $100.00 a year' });
  await page.waitForURL(/priceId=pri_/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'Save the file' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv.trim().split('\r\n')).toHaveLength(4);
  expect(csv).toContain(',Pro,1,100.00,USD,year,');

  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByLabel('Values are separated by').selectOption({ label: 'Semicolons, 1234,56' });
  const another = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the file' }).click();
  expect(await readFile(await (await another).path(), 'utf8')).toContain(';Pro;1;"100,00";USD;year;');
  await page.getByRole('button', { name: 'Export' }).click();
  expect(await page.getByLabel('Values are separated by').inputValue()).toBe('semicolon');
});
