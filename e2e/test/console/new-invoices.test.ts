import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newPromotionCode } from '../../system/billing-records.ts';
import { newCustomer, newTenant, saveCard, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf, type VisitPage } from './browse.ts';
import { DESKTOP, PHONE, takeScreenshot } from './looks.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  const { billing } = tenant;
  const { id: productId } = await billing.products.create({ name: 'Setup' });
  await billing.prices.create({ productId, unitAmount: 4_900, currency: 'usd', type: 'one_time' });
});

/** The page of a new customer with a saved card, with the dialog of a new invoice. */
async function openDialog(visit: VisitPage) {
  const customerId = await newCustomer(tenant);
  const card = await saveCard(tenant, customerId);
  const page = await visit(pageOf(tenant, `customers/${customerId}`), tenant, { viewport: DESKTOP });
  await page.getByRole('button', { name: 'New invoice' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^Due /).waitFor();
  const invoices = async () => (await tenant.billing.invoices.list({ customerId }).page()).items;
  return { customerId, card, page, dialog, invoices };
}

inBrowser('charges a price, hours and a reduction once, for the amount that it shows', async ({ visit }) => {
  const { page, dialog, invoices } = await openDialog(visit);
  const { code } = await newPromotionCode(tenant);
  await dialog.getByText('Due today: $49.00.').waitFor();
  await dialog.getByLabel('Quantity').fill('2');
  await dialog.getByRole('button', { name: 'Charge $98.00' }).waitFor();

  await dialog.getByRole('button', { name: 'Add a line' }).press('Enter');
  const [hours, reduction] = [
    dialog.getByRole('group', { name: 'Line 2' }),
    dialog.getByRole('group', { name: 'Line 3' }),
  ];
  await hours.getByLabel('Bills').selectOption('Product at an amount');
  await hours.getByLabel('Quantity').fill('3');
  await dialog.getByText('Write the amount of each line.').waitFor();
  await hours.getByLabel('Amount of one').fill('10.50');
  await dialog.getByRole('button', { name: 'Charge $129.50' }).waitFor();

  await dialog.getByRole('button', { name: 'Add a line' }).click();
  await reduction.getByLabel('Bills').selectOption('Reduction');
  await reduction.getByLabel('Description').fill('Goodwill');
  await reduction.getByLabel('Amount taken off').fill('$9.50');
  await dialog.getByLabel('Promotion code').fill('NOBODY-HAS-THIS');
  await dialog.getByRole('alert').filter({ hasText: 'promotion code' }).waitFor();
  await dialog.getByLabel('Promotion code').fill(code);
  await dialog.getByRole('button', { name: 'Charge $94.10' }).waitFor();
  const cost = dialog.getByRole('region', { name: 'What it costs' });
  for (const text of ['2 × Setup', 'Goodwill-$9.50', 'Discounts-$25.90', 'Total$94.10', 'Due today: $94.10.'])
    await cost.getByText(text).waitFor();

  await dialog.getByText('Order number, memo, footer and tax').click();
  await dialog.getByLabel('Order number').fill('2026-17');
  await dialog.getByLabel('Memo').fill('Thank you');
  await expectAccessible(page);
  await takeScreenshot(page, 'new-invoice');
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await dialog.evaluate(box => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.setViewportSize(DESKTOP);
  await dialog.getByLabel('Order number').press('Enter');
  await page.getByText('The invoice is paid.').waitFor();
  await page.getByRole('heading', { level: 1, name: /^Invoice / }).waitFor();
  await page.locator('dd').getByText('Billed once, beside subscriptions').waitFor();
  expect(await invoices()).toMatchObject([
    { status: 'paid', subtotal: 12_000, discount: 2_590, amountPaid: 9_410, purchaseOrder: '2026-17' },
  ]);
});

inBrowser('bills nothing at an amount that has changed, and shows the new one', async ({ visit }) => {
  const { customerId, page, dialog, invoices } = await openDialog(visit);
  const submit = dialog.getByRole('button', { name: /^Charge/ });
  await dialog.getByRole('button', { name: 'Charge $49.00' }).waitFor();
  const { processorCustomerId } = await tenant.billing.customers.get(customerId);
  const credit = { amount: '-1000', currency: 'usd' };
  await tenant.callProcessor(`/v1/customers/${processorCustomerId}/balance_transactions`, credit);
  await submit.click();
  const changed = 'It comes to $39.00 now, and not to $49.00 any more. Look at the new preview, and confirm it.';
  await dialog.getByText(changed).waitFor();
  await expectAccessible(page);
  expect(await invoices()).toEqual([]);
  await dialog.getByText('From the balance').waitFor();
  await dialog.getByRole('button', { name: 'Charge $39.00' }).click();
  await page.getByText('The invoice is paid.').waitFor();
  expect(await invoices()).toMatchObject([{ status: 'paid', total: 4_900, amountDue: 3_900 }]);
});

inBrowser('bills once when the response to it is lost', async ({ visit }) => {
  const { page, dialog, invoices } = await openDialog(visit);
  await page.route('**/invoices', async route => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fetch();
    return route.fulfill({ status: 500, json: {} });
  });
  const submit = dialog.getByRole('button', { name: /^Charge/ });
  await submit.click();
  await dialog.getByRole('alert').waitFor();
  await page.unroute('**/invoices');
  await submit.click();
  await page.getByText('The invoice is paid.').waitFor();
  expect(await invoices()).toHaveLength(1);
});

inBrowser('says that an invoice is void, or open and with which link, when its payment fails', async ({ visit }) => {
  const { card, page, dialog, invoices } = await openDialog(visit);
  await tenant.processor.setCardDeclines(card, true);
  const submit = dialog.getByRole('button', { name: 'Charge $49.00' });
  await submit.click();
  await dialog.getByRole('alert').filter({ hasText: 'The invoice is void.' }).waitFor();
  await dialog.getByLabel('If the payment fails').selectOption('Keep it open');
  await submit.click();
  await dialog.getByText(/^The invoice .+ of \$49\.00 is open\.$/).waitFor();
  await dialog.getByRole('button', { name: 'Copy the payment link' }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await takeScreenshot(page, 'unpaid-invoice');
  await dialog.getByRole('link', { name: 'Open the invoice' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Retry…' }).waitFor();
  expect((await invoices()).map(({ status }) => status)).toEqual(['open', 'void']);
});
