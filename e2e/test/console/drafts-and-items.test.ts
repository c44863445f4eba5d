import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newSentInvoice } from '../../system/billing-records.ts';
import {
  newCustomer,
  newMonthlyPrice,
  newSubscription,
  newTenant,
  saveCard,
  type Tenant,
} from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { DESKTOP, expectFitting, follow, takeScreenshot, untilLoaded } from './looks.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

inBrowser('keeps a draft for a customer that is searched for, and sends it later', async ({ visit }) => {
  const { billing } = tenant;
  const customer = await billing.customers.create({ email: 'katherine@example.com', name: 'Katherine' });
  await newCustomer(tenant);
  const page = await visit(pageOf(tenant, 'invoices'), tenant, { viewport: DESKTOP });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New invoice' }).first().click();
  await dialog.getByText('Choose the customer.').waitFor();
  await dialog.getByLabel('Find a customer').fill('katherine');
  await dialog.getByLabel('Customer', { exact: true }).selectOption({ label: 'Katherine, katherine@example.com' });
  await dialog.getByLabel('Find a customer').fill('nobody');
  await dialog.getByLabel('Description').fill('Migration');
  await dialog.getByLabel('Currency').selectOption('eur');
  await dialog.getByLabel('Amount', { exact: true }).fill('1,250');
  await dialog.getByLabel('Collect').selectOption('Send an invoice');
  await dialog.getByLabel('Due in days').fill('14');
  await dialog.getByText('Due in 14 days: €1,250.00.').waitFor();
  await dialog.getByRole('button', { name: 'Send an invoice of €1,250.00' }).waitFor();
  await dialog.getByLabel('Keep it a draft').check();
  await dialog.getByText('Due 14 days after it is final: €1,250.00.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create the draft' }).click();
  await page.getByText('The draft is created.').waitFor();

  await page.getByRole('heading', { level: 1, name: 'Invoice', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Finalize…' }).press('Enter');
  await dialog.getByText('Stripe mails the invoice to Katherine, who is to pay €1,250.00 until').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'finalize-draft');
  await dialog.getByRole('button', { name: 'Send an invoice of €1,250.00' }).click();
  await page.getByText('The invoice is sent.').waitFor();
  await page.getByRole('button', { name: 'Finalize…' }).waitFor({ state: 'detached' });
  const [sent] = (await billing.invoices.list({ customerId: customer.id }).page()).items;
  expect(sent).toMatchObject({ status: 'open', currency: 'eur', amountDue: 125_000, billingReason: 'manual' });
});

inBrowser('charges a draft, and says that it is open when its payment fails', async ({ visit }) => {
  const { billing, processor } = tenant;
  const customerId = await newCustomer(tenant);
  await processor.setCardDeclines(await saveCard(tenant, customerId), true);
  const lines = [{ description: 'Setup', amount: 4_900 }];
  const charge = { customerId, lines, currency: 'usd', collect: 'saved', draft: true } as const;
  const { id } = await billing.invoices.create({ ...charge, onFailure: 'keep' });
  const page = await visit(pageOf(tenant, `invoices?status=draft`), tenant);
  const dialog = page.getByRole('dialog');
  await page.locator('tr', { hasText: '$49.00' }).getByRole('button', { name: 'Finalize…' }).click();
  await dialog.getByText('Stripe charges $49.00 to the saved payment method of Grace now.').waitFor();
  await dialog.getByRole('button', { name: 'Charge $49.00' }).click();
  await dialog.getByText(/^The invoice .+ of \$49\.00 is open\.$/).waitFor();
  await dialog.getByRole('link', { name: 'Open the invoice' }).click();
  await page.getByRole('button', { name: 'Retry…' }).waitFor();
  expect((await billing.invoices.get(id)).status).toBe('open');
});

inBrowser('deletes a draft, and leads back to the list', async ({ visit }) => {
  const { id } = await newSentInvoice(tenant, { draft: true });
  const page = await visit(pageOf(tenant, `invoices/${id}`), tenant);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Delete…' }).press('Enter');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The draft is deleted, here and in Stripe.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
  await expect(tenant.billing.invoices.get(id)).rejects.toMatchObject({ code: 'invoice_not_found' });
});

inBrowser('sends an invoice again, and marks it as paid elsewhere', async ({ visit }) => {
  const customerId = await newCustomer(tenant);
  const { id, number } = await newSentInvoice(tenant, { customerId });
  const page = await visit(pageOf(tenant, `invoices?search=${number}`), tenant, { viewport: DESKTOP });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Resend…' }).click();
  await dialog
    .getByText('Stripe mails the invoice to Grace once more, with the link with which they pay $49.00.')
    .waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Send it again' }).click();
  await page.getByText('The invoice is sent again.').waitFor();
  await expectFitting(page, DESKTOP.width);

  await follow(page, pageOf(tenant, `invoices/${id}`));
  await page.getByRole('heading', { level: 1, name: `Invoice ${number}` }).waitFor();
  for (const name of ['Retry…', 'Resend…', 'Uncollectible…', 'Void…'])
    await page.getByRole('button', { name }).waitFor();
  await page.getByRole('button', { name: 'Mark paid…' }).click();
  await dialog.getByText('Grace has paid $49.00 elsewhere').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Mark as paid' }).click();
  await page.getByText('The invoice is marked as paid.').waitFor();
  await page.getByRole('button', { name: 'Mark paid…' }).waitFor({ state: 'detached' });
  expect(await tenant.billing.invoices.get(id)).toMatchObject({ status: 'paid', amountRemaining: 0 });

  await follow(page, pageOf(tenant, 'settings/audit-log'));
  await page.getByText(`marked the invoice ${number} as paid`).waitFor();
  await page.getByText(`sent the invoice ${number} again`).waitFor();
});

inBrowser('bills something with the next invoice, and takes it back', async ({ visit }) => {
  const { billing } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const { id, customerId } = await newSubscription(tenant, priceId);
  const page = await visit(pageOf(tenant, `subscriptions/${id}`), tenant, { viewport: DESKTOP });
  const dialog = page.getByRole('dialog');
  const card = page.locator('.card', { hasText: 'With the next invoice' });
  await card.getByText('Nothing comes besides what the plan costs.').waitFor();
  await card.getByRole('button', { name: 'Add an item…' }).press('Enter');
  await dialog.getByLabel('Bills').selectOption('Amount');
  await dialog.getByLabel('Description').fill('Replacement of a key');
  await expectAccessible(page);
  await dialog.getByLabel('Amount', { exact: true }).fill('15');
  await dialog.getByLabel('Amount', { exact: true }).press('Enter');
  await page.getByText('It comes with the next invoice.').waitFor();
  await card.getByText('$15.00').waitFor();
  await billing.subscriptions.change(id, { quantity: 2, proration: 'create_prorations' });
  await page.reload();
  await card.getByText('Change of plan').first().waitFor();
  await untilLoaded(page);
  await expectAccessible(page);
  await takeScreenshot(page, 'next-invoice');

  await follow(page, pageOf(tenant, `customers/${customerId}`));
  await page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor();
  await page.getByText('With the next invoice').click();
  const back = page.getByRole('button', { name: 'Take back Replacement of a key' });
  await back.waitFor();
  await untilLoaded(page);
  await expectAccessible(page);
  expect(await page.getByRole('button', { name: /^Take back/ }).count()).toBe(1);
  await back.click();
  await dialog.getByText('The next invoice comes without Replacement of a key, $15.00.').waitFor();
  await dialog.getByRole('button', { name: 'Take it back' }).click();
  await page.getByText('The item is taken back.').waitFor();
  await back.waitFor({ state: 'detached' });
  const left = await billing.subscriptions.listInvoiceItems(id);
  expect(left.length).toBeGreaterThan(0);
  expect(left.every(({ proration }) => proration)).toBe(true);
});
