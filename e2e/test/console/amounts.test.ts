import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newEmail, newMonthlyPrice, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { expectFocusShown } from './looks.ts';

let tenant: Tenant;
let productId: string;
beforeAll(async () => {
  tenant = await newTenant();
  productId = (await tenant.billing.products.create({ name: 'Pro', metadata: { tier: 'pro', seats: '5' } })).id;
});

inBrowser('takes the first click after an amount was mended', async ({ visit }) => {
  const page = await visit(pageOf(tenant, `products/${productId}`), tenant);
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
});

inBrowser('creates a product with its prices, and goes on where a price was refused', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'products'), tenant);
  await page.getByRole('button', { name: 'New product' }).click();
  await page.getByLabel('Name').fill('Team');
  await page.getByLabel('Amount').fill('20');
  await page.getByRole('button', { name: 'Add a price' }).click();
  const second = page.getByRole('group', { name: 'Price' }).nth(1);
  await second.getByLabel('Amount').fill('200');
  await second.getByLabel('Billed').selectOption('At another interval');
  await second.getByLabel('Every').fill('400');
  await second.getByLabel('Tax', { exact: true }).selectOption('Tax included');
  await page.getByLabel('Tax code').fill('txcd_10103001');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create the product' }).click();
  await page.getByLabel('Every').and(page.locator('[aria-invalid=true]')).fill('12');
  await page.getByRole('button', { name: 'Create the product' }).click();
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
  await page.getByRole('row', { name: /^\$20\.00 a month.* 0 \$0\.00 / }).waitFor();
  const found = (await Array.fromAsync(tenant.billing.products.list())).filter(({ name }) => name === 'Team');
  expect(found).toMatchObject([{ taxCode: 'txcd_10103001' }]);
  await page.getByRole('row', { name: 'Tax included' }).waitFor();
  const prices = await Array.fromAsync(tenant.billing.prices.list({ productId: found[0]?.id }));
  expect(prices.map(({ unitAmount, intervalCount, taxBehavior }) => [unitAmount, intervalCount, taxBehavior])).toEqual([
    [20_000, 12, 'inclusive'],
    [2_000, 1, 'unspecified'],
  ]);
});

inBrowser(
  'changes the unit and the metadata of a product, on an English page wherever its reader lives',
  async ({ visit }) => {
    const { user } = tenant;
    const page = await visit(pageOf(tenant, `products/${productId}`), { user }, { locale: 'ar-EG' });
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await page.getByLabel('Unit').fill('seat');
    await page.getByLabel('Value 1').fill('gold');
    await page.getByRole('button', { name: 'Remove seats' }).click();
    expect(await isFocusInDialog(page)).toBe(true);
    await page.getByRole('button', { name: 'Add metadata' }).click();
    await page.keyboard.type('team');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ops');
    await page.getByLabel('Tax code').fill('txcd_12345678');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Tax code').and(page.locator('[aria-invalid=true]')).fill('txcd_10103001');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('term').getByText('team').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/[\u0660-\u0669]/);
    await page.getByRole('definition').getByText('seat', { exact: true }).waitFor();
    const { name, unitLabel, taxCode, metadata } = await tenant.billing.products.get(productId);
    expect({ name, unitLabel, taxCode, metadata }).toEqual({
      name: 'Pro',
      unitLabel: 'seat',
      taxCode: 'txcd_10103001',
      metadata: { tier: 'gold', team: 'ops' },
    });
  },
);

inBrowser(
  'takes amounts in several currencies, adds one later, and refuses another one in its place',
  async ({ visit }) => {
    const { id } = await tenant.billing.products.create({ name: 'Abroad' });
    const page = await visit(pageOf(tenant, `products/${id}`), tenant);
    await page.getByRole('button', { name: 'New price' }).click();
    await page.getByLabel('Amount').fill('20');
    const add = page.getByRole('button', { name: 'Add a currency' });
    for (const currency of ['eur', 'usd']) {
      await add.click();
      const other = page.getByRole('group', { name: 'In another currency' }).last();
      await other.getByLabel('Currency').selectOption(currency);
      await other.getByLabel('Amount').fill('18');
    }
    await expectAccessible(page);
    const create = page.getByRole('button', { name: 'Create the price' });
    await create.click();
    await page.getByText('Expected other currencies than that of the price.').waitFor();
    await page
      .getByRole('group', { name: 'In another currency' })
      .last()
      .getByRole('button', { name: 'Remove' })
      .click();
    await create.click();
    const row = page.getByRole('row', { name: '$20.00 · €18.00 a month' });
    await row.getByRole('button', { name: 'Edit' }).click();
    await add.click();
    const added = page.getByRole('group', { name: 'In another currency' });
    await added.getByLabel('Amount').fill('19');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/The price has another amount in eur already/).waitFor();
    await added.getByLabel('Currency').selectOption('gbp');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: '$20.00 · €18.00 · £19.00 a month' }).waitFor();
    const currencyOptions = { eur: { unitAmount: 1_800 }, gbp: { unitAmount: 1_900 } };
    expect(await Array.fromAsync(tenant.billing.prices.list({ productId: id }))).toMatchObject([{ currencyOptions }]);
  },
);

inBrowser('sets the tax behavior of a price, and then offers no other', async ({ visit }) => {
  const { id } = await tenant.billing.products.create({ name: 'Taxed' });
  const amount = { productId: id, unitAmount: 700, currency: 'usd', interval: 'month' } as const;
  const price = await tenant.billing.prices.create(amount);
  const page = await visit(pageOf(tenant, `products/${id}`), tenant);
  const row = page.getByRole('row', { name: '$7.00' });
  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Tax', { exact: true }).selectOption('Plus tax');
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Plus tax').waitFor();
  expect(await tenant.billing.prices.get(price.id)).toMatchObject({ taxBehavior: 'exclusive' });
  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  expect(await page.getByLabel('Tax', { exact: true }).count()).toBe(0);
});

inBrowser('sells several at once after a trial, in a dialog that keeps the focus', async ({ visit }) => {
  const seller = await newTenant();
  const { id: customerId } = await seller.billing.customers.create({ email: newEmail() });
  const { productId: id } = await newMonthlyPrice(seller);
  await seller.billing.prices.create({ productId: id, unitAmount: 1_000, currency: 'usd', interval: 'month' });
  const page = await visit(pageOf(seller, 'customers'), seller);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/prices?**', async route => {
    await released;
    await route.continue();
  });
  await page.goto(new URL(pageOf(seller, `customers/${customerId}`), page.url()).href);
  await page.getByRole('button', { name: 'New checkout' }).click();
  await page.getByRole('dialog', { name: 'New checkout' }).waitFor();
  expect(await isFocusInDialog(page)).toBe(true);
  release();
  const price = page.getByRole('radio', { name: 'Pro: $10.00 a month' });
  await price.waitFor();
  expect(await isFocusInDialog(page)).toBe(true);
  await price.check();
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
