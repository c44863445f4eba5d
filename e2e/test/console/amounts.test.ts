import { isWithoutBrowser } from '@billing/testing/browser';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newEmail, newTenant, type Tenant } from '../../system/tenant.ts';
import { pageOf, visitConsole } from './browse.ts';
import { expectFocusShown } from './looks.ts';

const withoutBrowser = isWithoutBrowser();

let tenant: Tenant;
let productId: string;
beforeAll(async () => {
  if (withoutBrowser) return;
  tenant = await newTenant();
  productId = (await tenant.billing.products.create({ name: 'Pro', metadata: { tier: 'pro', seats: '5' } })).id;
});

it.skipIf(withoutBrowser)('takes the first click after an amount was mended', async () => {
  await using visit = await visitConsole(pageOf(tenant, `products/${productId}`), { user: tenant.user });
  const { page, problems } = visit;
  await page.getByRole('button', { name: 'New price' }).click();
  const create = page.getByRole('button', { name: 'Create the price' });
  await page.getByLabel('Currency').selectOption('jpy');
  await page.getByLabel('Amount').fill('500.50');
  const before = await create.boundingBox();
  await create.click();
  await page.getByRole('alert').getByText('Japanese yen have no decimals.').waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('amount');
  expect(await create.boundingBox()).toEqual(before);

  await page.getByLabel('Currency').selectOption('ugx');
  await page.getByLabel('Amount').fill('UGX 5,000');
  await page.getByLabel('Billed').selectOption('Every 3 months');
  // Pressed and released without a look in between, as a person does.
  const { x = 0, y = 0 } = (await create.boundingBox()) ?? {};
  await page.mouse.click(x + 5, y + 5);
  await page.getByText('UGX 5,000 every 3 months').waitFor();
  const [price] = await Array.fromAsync(tenant.billing.prices.list());
  expect(price).toMatchObject({ unitAmount: 500_000, currency: 'ugx', interval: 'month', intervalCount: 3 });
  expect(problems).toEqual([]);
});

it.skipIf(withoutBrowser)(
  'changes the metadata of a product, on an English page wherever its reader lives',
  async () => {
    const { user } = tenant;
    await using visit = await visitConsole(pageOf(tenant, `products/${productId}`), { user, locale: 'ar-EG' });
    const { page } = visit;
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await page.getByLabel('Value 1').fill('gold');
    await page.getByRole('button', { name: 'Remove seats' }).click();
    expect(await isFocusInDialog(page)).toBe(true);
    await page.getByRole('button', { name: 'Add metadata' }).click();
    await page.keyboard.type('team');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ops');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('term').getByText('team').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/[\u0660-\u0669]/);
    const { name, metadata } = await tenant.billing.products.get(productId);
    expect({ name, metadata }).toEqual({ name: 'Pro', metadata: { tier: 'gold', team: 'ops' } });
  },
);

it.skipIf(withoutBrowser)('sells several at once after a trial, in a dialog that keeps the focus', async () => {
  const { id: customerId } = await tenant.billing.customers.create({ email: newEmail() });
  await tenant.billing.prices.create({ productId, unitAmount: 1_000, currency: 'usd', interval: 'month' });
  await using visit = await visitConsole(pageOf(tenant, 'customers'), { user: tenant.user });
  const { page } = visit;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/prices?**', async route => {
    await released;
    await route.continue();
  });
  await page.goto(new URL(pageOf(tenant, `customers/${customerId}`), page.url()).href);
  await page.getByRole('button', { name: 'New checkout' }).click();
  expect(await isFocusInDialog(page)).toBe(true);
  release();
  await page.getByRole('option', { name: 'Pro: $10.00 a month' }).waitFor({ state: 'attached' });
  expect(await isFocusInDialog(page)).toBe(true);
  await page.getByLabel('Price').selectOption('Pro: $10.00 a month');
  await page.getByLabel('Quantity').fill('3');
  await page.getByLabel('Free trial, in days').fill('14');
  await expectFocusShown(page, 8);
  await page.getByRole('button', { name: 'Make the link' }).click();
  const url = (await page.getByRole('link', { name: 'Open it' }).getAttribute('href')) ?? '';
  expect(await isFocusInDialog(page)).toBe(true);
  const sold = await (await fetch(url)).text();
  expect(sold).toContain('$30.00');
  expect(sold).toContain('14 days');

  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.innerText')).toBe('New checkout');
  await expectFocusShown(page, 60);
});

const isFocusInDialog = (page: Page) => page.evaluate<boolean>("document.activeElement.closest('dialog') !== null");
