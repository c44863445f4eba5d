import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newCustomer, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { delayResponses, DESKTOP, expectSteady, follow, untilLoaded, watchShifts } from './looks.ts';

const SHOW = 'Who is billed, and with which tax';
const EDIT = 'Edit the billing details…';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

const shown = (page: Page, term: string, text: string) =>
  page.locator('dt', { hasText: term }).locator('+ dd').filter({ hasText: text }).waitFor();

inBrowser('edits the billing details of a business, and says which tax id is wrong', async ({ visit }) => {
  const customerId = await newCustomer(tenant);
  const page = await visit(pageOf(tenant, `customers/${customerId}`), tenant);
  const dialog = page.getByRole('dialog');
  await page.getByText(SHOW).click();
  await shown(page, 'Tax location', 'Not recognized');
  await page.getByRole('button', { name: EDIT }).click();
  await dialog.getByLabel('Business name').fill('Analytical Engines GmbH');
  await dialog.getByLabel('Street and number').fill('Invalidenstr. 1');
  await dialog.getByLabel('City').fill('Berlin');
  await dialog.getByRole('button', { name: 'Add a tax id' }).press('Enter');
  await page.keyboard.type('us_ein');
  await dialog.getByLabel('Number 1', { exact: true }).fill('12-3456789');
  await dialog.getByRole('button', { name: 'Add a tax id' }).click();
  await dialog.getByLabel('Kind 2', { exact: true }).fill('eu_vat');
  await dialog.getByLabel('Number 2', { exact: true }).fill('DE1');
  await dialog.getByRole('button', { name: 'Add a tax id' }).click();
  await dialog.getByLabel('Kind 3', { exact: true }).fill('gb_vat');
  await dialog.getByLabel('Number 3', { exact: true }).fill('GB123456789');
  await dialog.getByLabel('Tax', { exact: true }).selectOption('Owes the tax itself (reverse charge)');
  await dialog.getByLabel('Order number').fill('2026-17');
  await dialog.getByRole('button', { name: 'Add a field' }).click();
  await dialog.getByLabel('Name 1', { exact: true }).fill('Cost centre');
  await dialog.getByLabel('Text 1', { exact: true }).fill('4711');
  await dialog.getByLabel('Language').fill('de');
  const save = dialog.getByRole('button', { name: 'Save' });
  await save.click();

  // An address needs its country.
  await dialog.getByText('Expected the two capital letters of a country.').waitFor();
  await dialog.getByLabel('Country').fill('de');
  await dialog.getByLabel('Postal code').fill('10115');
  await save.click();

  const wrong = dialog.getByRole('textbox', { name: 'Number 2', description: 'The tax id is not one of its kind' });
  const other = dialog.getByRole('combobox', { name: 'Kind 1' });
  await dialog.getByText('The tax id is not one of its kind; nothing was changed.').waitFor();
  expect(await wrong.getAttribute('aria-invalid')).toBe('true');
  expect(await other.getAttribute('aria-invalid')).toBeNull();
  await expectAccessible(page);
  expect((await tenant.billing.billingDetails.get(customerId)).businessName).toBeNull();

  // What takes the place of the wrong one is not wrong.
  await dialog.getByRole('button', { name: 'Remove kind 2' }).click();
  expect(await dialog.locator('[aria-invalid]').count()).toBe(0);
  await dialog.getByLabel('Kind 2', { exact: true }).fill('eu_vat');
  await dialog.getByLabel('Number 2', { exact: true }).fill('DE 123456789');
  await save.click();
  await page.getByText('The billing details are changed, here and in Stripe.').first().waitFor();

  await page.reload();
  await page.getByText(SHOW).click();
  await shown(page, 'Business name', 'Analytical Engines GmbH');
  await shown(page, 'Address', 'Invalidenstr. 1\n10115 Berlin\nGermany');
  await shown(page, 'Tax location', 'Recognized');
  await shown(page, 'Tax ids', 'Verified');
  await shown(page, 'Order number', '2026-17');
  await shown(page, 'Fields of invoices', 'Cost centre: 4711');
  await shown(page, 'Language', 'de');
  await expectAccessible(page);
  expect(await tenant.billing.billingDetails.get(customerId)).toMatchObject({ taxExempt: 'reverse', taxIds: [{}, {}] });
});

inBrowser('says where tax has stopped, and runs it again once the address is known', async ({ visit }) => {
  const { priceId } = await newMonthlyPrice(tenant);
  const { id, customerId, processorSubscriptionId } = await newSubscription(tenant, priceId);
  const { customer } = await tenant.callProcessor(`/v1/subscriptions/${processorSubscriptionId}`);
  const page = await visit(pageOf(tenant, `subscriptions/${id}`), tenant, { viewport: DESKTOP });
  const dialog = page.getByRole('dialog');

  await page.getByText('Stripe does not compute tax for its invoices.').waitFor();
  await page.getByRole('button', { name: 'Turn tax on…' }).click();
  await dialog.getByRole('button', { name: 'Turn tax on' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'give it a whole address in its billing details' }).waitFor();
  await tenant.billing.billingDetails.update(customerId, { address: { country: 'DE' } });
  await dialog.getByRole('button', { name: 'Turn tax on' }).click();
  await page.getByText('Stripe computes the tax of its invoices.').waitFor();

  const nowhere = { 'address[country]': 'US', 'tax[validate_location]': 'deferred' };
  await tenant.callProcessor(`/v1/customers/${customer}`, nowhere);
  await tenant.processor.renew(processorSubscriptionId);
  await page.getByText('Tax has stopped.').waitFor();
  await page.getByRole('link', { name: 'billing details' }).waitFor();
  await expectAccessible(page);
  await follow(page, pageOf(tenant, 'settings/connection'));
  await page.getByRole('link', { name: 'See the subscriptions' }).click();
  await page.getByRole('heading', { level: 1, name: 'Subscriptions' }).waitFor();
  await page.getByText('Tax stopped', { exact: true }).and(page.locator('.badge')).waitFor();
  expect(await page.getByLabel('Tax', { exact: true }).inputValue()).toBe('stopped');
  await expectAccessible(page);
  await page.locator('td a').first().click();

  await page.getByText(SHOW).click();
  await page.getByRole('button', { name: EDIT }).click();
  await dialog.getByLabel('Country').fill('FR');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await shown(page, 'Tax location', 'Recognized');
  await follow(page, pageOf(tenant, `subscriptions/${id}`));
  await page.getByText('Stripe computes the tax of its invoices.').waitFor();
  await page.getByRole('button', { name: 'Turn tax off…' }).click();
  await dialog.getByRole('button', { name: 'Turn tax off' }).click();
  await page.getByText('Stripe does not compute tax for its invoices.').waitFor();
  expect((await tenant.billing.subscriptions.get(id)).tax).toEqual({ automatic: false, stoppedReason: null });
});

inBrowser('moves nothing while the pages of a customer and of a subscription load', async ({ visit }) => {
  const { priceId } = await newMonthlyPrice(tenant);
  const { id, customerId } = await newSubscription(tenant, priceId);
  const page = await visit('/llms.txt', tenant, { viewport: DESKTOP });
  await watchShifts(page);
  await delayResponses(page);
  for (const path of [`customers/${customerId}`, `subscriptions/${id}`]) {
    await page.goto(new URL(pageOf(tenant, path), page.url()).href);
    await page.locator('.crumb').waitFor();
    await untilLoaded(page);
    await expectSteady(page, path);
  }
});

inBrowser('has checkouts compute tax when the project says so', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'settings/project'), tenant);
  const box = page.getByLabel('Checkouts have Stripe compute tax');
  await box.check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The project is changed.').first().waitFor();
  await page.reload();
  await expect.poll(() => box.isChecked()).toBe(true);
  await expectAccessible(page);
  const { billing, callProcessor } = tenant;
  const [customerId, { priceId }] = [await newCustomer(tenant), await newMonthlyPrice(tenant)];
  const urls = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  await expect
    .poll(async () => {
      const { sessionId } = await billing.checkout.create({ customerId, priceId, ...urls });
      return (await callProcessor(`/v1/checkout/sessions/${sessionId}`)).automatic_tax.enabled;
    })
    .toBe(true);
});
