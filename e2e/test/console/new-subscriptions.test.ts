import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newPromotionCode } from '../../system/billing-records.ts';
import { newCustomer, newMonthlyPrice, newTenant, saveCard, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf, type VisitPage } from './browse.ts';
import { DESKTOP, expectFocusShown, PHONE, takeScreenshot } from './looks.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  const { billing } = tenant;
  await newMonthlyPrice(tenant);
  const { id: productId } = await billing.products.create({ name: 'Setup' });
  await billing.prices.create({ productId, unitAmount: 4_900, currency: 'usd', type: 'one_time' });
});

/** The page of a new customer, who has a saved card unless told otherwise, with the dialog of a sale. */
async function openDialog(visit: VisitPage, { opener = 'New subscription', hasCard = true, isDark = false } = {}) {
  const customerId = await newCustomer(tenant);
  const card = hasCard ? await saveCard(tenant, customerId) : '';
  const look = { viewport: DESKTOP, ...(isDark && { colorScheme: 'dark' as const }) };
  const page = await visit(pageOf(tenant, `customers/${customerId}`), tenant, look);
  await page.getByRole('button', { name: opener, exact: true }).press('Enter');
  const dialog = page.getByRole('dialog', { name: opener });
  await dialog.getByText(/^Due today: /).waitFor();
  const { subscriptions, invoices } = tenant.billing;
  const sold = async () => (await subscriptions.list({ customerId, activeOnly: false }).page()).items;
  const billed = async () => (await invoices.list({ customerId }).page()).items;
  return { customerId, card, page, dialog, sold, billed };
}

inBrowser('sells several prices for the amount that it shows, charged to the saved card', async ({ visit }) => {
  const { page, dialog, sold, billed } = await openDialog(visit);
  const { code } = await newPromotionCode(tenant);
  await dialog.getByRole('button', { name: 'Charge $29.99' }).waitFor();
  await dialog.getByLabel('Quantity').fill('2');
  await dialog.getByRole('button', { name: 'Charge $59.98' }).waitFor();
  await dialog.getByRole('button', { name: 'Add an item' }).press('Enter');
  await dialog.getByRole('button', { name: 'Charge $108.98' }).waitFor();
  await dialog.getByLabel('Promotion code').fill('NOBODY-HAS-THIS');
  await dialog.getByRole('alert').filter({ hasText: 'promotion code' }).waitFor();
  await dialog.getByLabel('Promotion code').fill(code);
  await dialog.getByRole('button', { name: 'Charge $87.18' }).waitFor();
  const cost = dialog.getByRole('region', { name: 'What it costs' });
  for (const text of ['Discounts-$21.80', 'Total$87.18', 'Due today: $87.18.']) await cost.getByText(text).waitFor();

  await expectAccessible(page);
  await takeScreenshot(page, 'new-subscription');
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await dialog.evaluate(box => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.setViewportSize(DESKTOP);
  await expectFocusShown(page, 12);
  await dialog.getByLabel('Promotion code').press('Enter');
  await page.getByText('The subscription is created.').waitFor();
  await page.getByText('Subscription of Grace').waitFor();
  expect(await sold()).toMatchObject([{ status: 'active', quantity: 2, items: [{ unitAmount: 2_999 }] }]);
  expect(await billed()).toMatchObject([{ status: 'paid', total: 8_718 }]);
});

inBrowser('keeps its place while the next preview loads', async ({ visit }) => {
  const { page, dialog } = await openDialog(visit);
  const place = () => dialog.boundingBox();
  const before = await place();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/checkout/preview', async route => {
    await released;
    await route.continue();
  });
  await dialog.getByLabel('Quantity').fill('3');
  await dialog.locator('.skeleton').first().waitFor();
  expect(await place()).toEqual(before);
  release();
  await dialog.getByText('Due today: $89.97.').waitFor();
  expect(await place()).toEqual(before);
});

inBrowser('says in place why nothing is sold, and sells it in another way', async ({ visit }) => {
  const { page, dialog, sold } = await openDialog(visit, { hasCard: false, isDark: true });
  const refused = (text: string) => dialog.getByRole('alert').filter({ hasText: text }).waitFor();
  await dialog.getByRole('button', { name: 'Charge $29.99' }).click();
  await refused('The customer has no saved payment method.');
  await dialog.getByLabel('Collect').selectOption('Collect nothing now');
  await dialog.getByRole('button', { name: 'Create the subscription' }).click();
  await refused('$29.99 is due now. Charge it, send an invoice, or give a trial. Nothing was sold.');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await takeScreenshot(page, 'refused-sale');
  await page.setViewportSize(DESKTOP);
  expect(await sold()).toEqual([]);

  await dialog.getByLabel('Free trial, in days').fill('14');
  await dialog.getByLabel('If it ends without a payment method').selectOption('It is paused');
  await dialog.getByText('Nothing is due.').waitFor();
  await dialog.getByRole('button', { name: 'Create the subscription' }).click();
  await page.getByText('The subscription is created.').waitFor();
  expect(await sold()).toMatchObject([{ status: 'trialing' }]);
});

inBrowser('says that the payment was declined, and mails an invoice then', async ({ visit }) => {
  const { card, page, dialog, sold, billed } = await openDialog(visit);
  await tenant.processor.setCardDeclines(card, true);
  await dialog.getByRole('button', { name: 'Charge $29.99' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'The bank declined the payment' }).waitFor();
  expect(await sold()).toEqual([]);
  await dialog.getByLabel('Collect').selectOption('Send an invoice');
  await dialog.getByLabel('Due in days').fill('14');
  await dialog.getByText('Due in 14 days: $29.99.').waitFor();
  await dialog.getByRole('button', { name: 'Send an invoice of $29.99' }).click();
  await page.getByText('The subscription is created.').waitFor();
  expect(await sold()).toMatchObject([{ status: 'active' }]);
  expect(await billed()).toMatchObject([{ status: 'open', amountDue: 2_999, dueDate: expect.any(String) }]);
});

inBrowser('sells nothing at an amount that has changed, nor twice what is sold once', async ({ visit }) => {
  const { customerId, page, dialog, sold } = await openDialog(visit);
  await dialog.getByRole('button', { name: 'Charge $29.99' }).waitFor();
  const { processorCustomerId } = await tenant.billing.customers.get(customerId);
  const credit = { amount: '-1000', currency: 'usd' };
  await tenant.callProcessor(`/v1/customers/${processorCustomerId}/balance_transactions`, credit);
  await dialog.getByRole('button', { name: /^Charge/ }).click();
  const changed = 'It comes to $19.99 now, and not to $29.99 any more.';
  await dialog.getByRole('alert').filter({ hasText: changed }).waitFor();
  expect(await sold()).toEqual([]);
  await dialog.getByRole('button', { name: 'Charge $19.99' }).click();
  await page.getByText('The subscription is created.').waitFor();
  expect(await sold()).toHaveLength(1);

  await page.goBack();
  await page.getByRole('button', { name: 'New subscription' }).click();
  await dialog.getByLabel('Only if the customer has no subscription').check();
  await dialog.getByText('The customer already has a subscription to this product.').waitFor();
  expect(await sold()).toHaveLength(1);
});

inBrowser('sells once when the response to it is lost', async ({ visit }) => {
  const { page, dialog, sold } = await openDialog(visit);
  await page.route('**/checkout', async route => {
    await route.fetch();
    return route.fulfill({ status: 500, json: {} });
  });
  const submit = dialog.getByRole('button', { name: /^Charge/ });
  await submit.click();
  await dialog.getByRole('alert').waitFor();
  await page.unroute('**/checkout');
  await submit.click();
  await page.getByText('The subscription is created.').waitFor();
  expect(await sold()).toHaveLength(1);
});

inBrowser('makes a link to a page that sells several prices', async ({ visit }) => {
  const { page, dialog, sold } = await openDialog(visit, { opener: 'New checkout', hasCard: false });
  await dialog.getByRole('button', { name: 'Add an item' }).click();
  await dialog.getByText('Due today: $78.99.').waitFor();
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  await dialog.getByRole('button', { name: 'Copy: Checkout link' }).waitFor();
  await expectAccessible(page);
  const url = (await dialog.getByRole('link', { name: 'Open it' }).getAttribute('href')) ?? '';
  expect(await (await fetch(url)).text()).toContain('$78.99');
  expect(await sold()).toEqual([]);
});
