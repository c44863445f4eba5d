import type { Invoice } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newOpenInvoice } from '../../system/billing-records.ts';
import { declineCard, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow, untilLoaded } from './looks.ts';

let tenant: Tenant;
let productId: string;
let invoice: Invoice;
beforeAll(async () => {
  tenant = await newTenant();
  const { billing } = tenant;
  const price = await newMonthlyPrice(tenant);
  ({ productId } = price);
  const other = await billing.prices.create({ productId, unitAmount: 1_250, currency: 'usd', interval: 'month' });
  await newSubscription(tenant, other.id);
  invoice = await billing.invoices.get(await newOpenInvoice(tenant, price.priceId));
  await billing.customers.update(invoice.customerId, { name: 'Ada Lovelace' });
  const find = async () => (await billing.payments.list({ status: 'failed' }).page()).items[0];
  await waitFor(find, { what: 'the declined payment' });
});

const total = (page: Page, text: string) => page.locator('.list-total').getByText(text, { exact: true }).waitFor();

inBrowser('leads from an invoice to its payment and back, and collects it in place', async ({ visit }) => {
  const { billing } = tenant;
  const subscription = await billing.subscriptions.get(String(invoice.subscriptionId));
  const acceptCard = await declineCard(tenant, subscription);
  const page = await visit(pageOf(tenant, 'invoices?status=open'), tenant);
  const content = page.locator('#content');
  await content.getByRole('link', { name: String(invoice.number), exact: true }).click();
  await page.getByRole('heading', { level: 1, name: `Invoice ${invoice.number}` }).waitFor();
  await content.getByText('A payment failed').waitFor();
  for (const name of ['Page at Stripe', 'PDF']) await content.getByRole('link', { name }).waitFor();
  await content.locator('dd').getByText('Your card was declined.').waitFor();
  await untilLoaded(page);
  await expectAccessible(page);

  await content.getByRole('region', { name: 'Payments' }).getByRole('link', { name: '$29.99' }).click();
  await page.getByRole('heading', { level: 1, name: 'Payment of $29.99' }).waitFor();
  await content.getByText('The payment failed: Your card was declined.').waitFor();
  await content.getByRole('link', { name: 'Ada Lovelace' }).first().waitFor();
  await untilLoaded(page);
  await expectAccessible(page);
  await content.getByRole('link', { name: String(invoice.number), exact: true }).click();

  await content.getByRole('button', { name: 'Retry…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Try the payment again' });
  await dialog.getByText('The last attempt failed: Your card was declined.').waitFor();
  await acceptCard();
  await dialog.getByRole('button', { name: 'Charge $29.99' }).click();
  await page.getByText('The invoice is paid.').waitFor();
  await content.getByText('Paid', { exact: true }).first().waitFor();
  await content.getByRole('button', { name: 'Retry…' }).waitFor({ state: 'detached' });
  expect((await billing.invoices.get(invoice.id)).status).toBe('paid');
});

inBrowser('refunds a payment on its page', async ({ visit }) => {
  const [payment] = (await tenant.billing.payments.list({ search: '12.50' }).page()).items;
  const page = await visit(pageOf(tenant, `payments/${payment?.id}`), tenant);
  await page.getByRole('button', { name: 'Refund…' }).click();
  await page.getByLabel('Amount', { exact: true }).fill('2.50');
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByText('$2.50 are on their way back.').waitFor();
  await page.locator('dd').getByText('$10.00', { exact: true }).waitFor();
  await expectAccessible(page);
});

inBrowser('finds subscriptions, invoices and payments by name, e-mail and amount', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'subscriptions'), tenant);
  await total(page, '2 subscriptions');
  const search = page.getByRole('searchbox');
  await search.fill('lovelace');
  await total(page, '1 subscription');
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  await search.fill('$12.50');
  await total(page, '1 subscription');
  await page.locator('td').getByText('$12.50 a month').waitFor();
  await page.getByLabel('Product').selectOption(productId);
  await search.fill('');
  await total(page, '2 subscriptions');

  const { email } = await tenant.billing.customers.get(invoice.customerId);
  await follow(page, pageOf(tenant, 'payments'));
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  await search.fill(String(email));
  await page.getByRole('link', { name: 'Ada Lovelace' }).first().waitFor();
  await total(page, '2 payments');
  await search.fill('12.50');
  await total(page, '1 payment');
  await search.fill('nobody');
  await page.getByText('No payment matches').waitFor();
  await follow(page, pageOf(tenant, 'invoices'));
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
  await search.fill('12,50');
  await total(page, '1 invoice');

  await follow(page, pageOf(tenant, 'customers'));
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  await page.locator('#content').getByRole('link', { name: 'Active' }).click();
  await page.getByRole('heading', { level: 1, name: 'Subscriptions' }).waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('active');
});
