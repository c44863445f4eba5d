import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newCustomer, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { delayResponses, DESKTOP, expectFitting, expectSteady, PHONE, untilLoaded, watchShifts } from './looks.ts';

let tenant: Tenant;
let sold: { readonly pro: string; readonly basic: string; readonly unsold: string };

/** Customers who pay $29.99, $120, $29.99 and nothing a month, the newest last. */
beforeAll(async () => {
  tenant = await newTenant();
  const { billing } = tenant;
  const pro = await newMonthlyPrice(tenant);
  const basic = await billing.products.create({ name: 'Basic' });
  const unsold = await billing.products.create({ name: 'Unsold' });
  const yearly = { productId: basic.id, unitAmount: 144_000, currency: 'usd', interval: 'year' } as const;
  const { id: yearlyId } = await billing.prices.create(yearly);
  sold = { pro: pro.productId, basic: basic.id, unsold: unsold.id };
  for (const priceId of [pro.priceId, yearlyId, pro.priceId]) await newSubscription(tenant, priceId);
  await newCustomer(tenant);
  await waitFor(async () => (await billing.analytics.customersByMrr().page()).total === 3, {
    what: 'all three in the metrics',
  });
});

const rowsOf = (page: Page) => page.locator('tbody tr[aria-rowindex]');
const amountsOf = (page: Page) => async () =>
  (await rowsOf(page).allInnerTexts()).map(text => /\$[\d,.]+/.exec(text)?.[0] ?? text);

inBrowser('lists customers by the highest MRR, and filters them by it and by product', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'customers'), tenant);
  const [amounts, total] = [amountsOf(page), page.locator('.list-total')];
  await total.getByText('4 customers', { exact: true }).waitFor();
  const order = page.getByLabel('Order');
  await order.focus();
  await order.selectOption('Highest MRR');
  await total.getByText('3 customers', { exact: true }).waitFor();
  expect(await order.evaluate(select => select === document.activeElement)).toBe(true);
  await expect.poll(amounts).toEqual(['$120.00', '$29.99', '$29.99']);
  await expectAccessible(page);

  await page.getByLabel('MRR from').fill('30');
  await expect.poll(amounts).toEqual(['$120.00']);
  await page.getByLabel('MRR from').fill('$29.99');
  await page.getByLabel('MRR up to').fill('119.99');
  await expect.poll(amounts).toEqual(['$29.99', '$29.99']);
  await page.getByLabel('Product').selectOption(sold.basic);
  await page.getByText('Nobody matches').waitFor();
  await page.getByLabel('MRR up to').fill('lots');
  await page.getByRole('alert').getByText('Write an amount, for example $29.99.').waitFor();
  await expect.poll(amounts).toEqual(['$120.00']);
  await page.getByLabel('Product').selectOption(sold.unsold);
  await page.getByText('Nobody matches').waitFor();

  await order.selectOption('Newest');
  await total.getByText('4 customers', { exact: true }).waitFor();
  expect(await page.getByLabel('MRR from').count()).toBe(0);
});

inBrowser('still shows a deleted customer who pays', async ({ visit }) => {
  const [first] = (await tenant.billing.analytics.customersByMrr({ limit: 1 }).page()).items;
  await tenant.billing.customers.delete(String(first?.customerId));
  const page = await visit(pageOf(tenant, 'customers?order=mrr'), tenant);
  await rowsOf(page).first().getByText(String(first?.customerId)).waitFor();
  await rowsOf(page).first().getByText('$120.00').waitFor();
});

inBrowser('reads at most 30 addresses, and moves nothing', async ({ visit }) => {
  for (const viewport of [DESKTOP, PHONE]) {
    const page = await visit('/llms.txt', tenant, { viewport });
    await watchShifts(page);
    await delayResponses(page);
    const requested = new Set<string>();
    page.on('request', request => requested.add(request.url()));
    await page.goto(new URL(pageOf(tenant, `customers?order=mrr&productId=${sold.pro}`), page.url()).href);
    await rowsOf(page).getByText('$29.99').first().waitFor();
    await untilLoaded(page);
    await expectSteady(page, 'customers');
    await expectFitting(page, viewport.width);
    expect(requested.size, [...requested].join(' ')).toBeLessThanOrEqual(30);
  }
});
