import { waitFor } from '@billing/testing/wait-for';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow } from './looks.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  await newSubscription(tenant, priceId);
  await newSubscription(tenant, priceId);
  const { invoices, payments } = tenant.billing;
  const arePaid = async () =>
    (await invoices.list({ status: 'paid' }).page()).total === 2 &&
    (await payments.list({ status: 'succeeded' }).page()).total === 2;
  await waitFor(arePaid, { what: 'both invoices and payments' });
});

const rowsOf = (page: Page) => page.locator('tbody tr[aria-rowindex]');

inBrowser('counts, sorts and filters each list, by what stands in the address', async ({ visit }) => {
  const { billing } = tenant;
  const [customers, subscriptions, invoices, payments] = await Promise.all([
    Array.fromAsync(billing.customers.list()),
    Array.fromAsync(billing.subscriptions.list()),
    Array.fromAsync(billing.invoices.list()),
    Array.fromAsync(billing.payments.list()),
  ]);
  const [customer, subscription, invoice, payment] = [customers[0], subscriptions[0], invoices[0], payments[0]];
  if (!customer || !subscription || !invoice || !payment) throw new Error('A list is empty.');
  const page = await visit(pageOf(tenant, 'customers'), tenant);
  const total = page.locator('.list-total');

  await total.getByText(`${customers.length} customers`, { exact: true }).waitFor();
  const row = rowsOf(page).filter({ hasText: customer.email ?? '' });
  await row.getByText('Active', { exact: true }).waitFor();
  await row.getByText('$29.99', { exact: true }).waitFor();
  const created = page.getByRole('columnheader', { name: 'Created' });
  expect(await created.getAttribute('aria-sort')).toBe('descending');
  const newestFirst = await rowsOf(page).allInnerTexts();
  await created.getByRole('button').press('Enter');
  await page.locator('th[aria-sort="ascending"]').waitFor();
  await expect.poll(() => rowsOf(page).allInnerTexts()).toEqual(newestFirst.toReversed());
  expect(new URL(page.url()).searchParams.get('order')).toBe('oldest');

  await page.getByLabel('Until').fill('2020-01-01');
  await page.getByText('Nobody matches').waitFor();
  await total.getByText('0 customers', { exact: true }).waitFor();

  await follow(page, pageOf(tenant, `subscriptions?processorId=${subscription.processorSubscriptionId}`));
  await total.getByText('1 subscription', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show all again' }).click();
  await total.getByText(`${subscriptions.length} subscriptions`, { exact: true }).waitFor();

  await follow(page, pageOf(tenant, 'invoices'));
  await total.getByText(`${invoices.length} invoices`, { exact: true }).waitFor();
  await page.getByLabel('Customer, amount, number').fill((invoice.number ?? '').toLowerCase());
  await total.getByText('1 invoice', { exact: true }).waitFor();
  await page.getByRole('columnheader', { name: 'Remaining' }).waitFor();
  await page.getByRole('link', { name: 'Invoices', exact: true }).click();
  await total.getByText(`${invoices.length} invoices`, { exact: true }).waitFor();
  expect(await page.getByLabel('Customer, amount, number').inputValue()).toBe('');

  await follow(page, pageOf(tenant, `payments?processorId=${payment.processorChargeId}`));
  await total.getByText('1 payment', { exact: true }).waitFor();
  await rowsOf(page).getByText('Visa •••• 4242').waitFor();
  const paid = invoices.find(({ id }) => id === payment.invoiceId);
  await rowsOf(page)
    .getByRole('link', { name: String(paid?.number) })
    .click();
  await page.getByRole('heading', { level: 1, name: `Invoice ${paid?.number}` }).waitFor();
});

inBrowser('exports names, e-mails, products, and amounts beside their currencies', async ({ visit }) => {
  const [payment] = (await tenant.billing.payments.list({ limit: 1 }).page()).items;
  const customer = await tenant.billing.customers.get(payment?.customerId ?? '');
  const product = (await tenant.billing.products.list().page()).items[0];
  const page = await visit(pageOf(tenant, 'payments'), tenant);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'Save the file' }).click();
  const [head = '', ...lines] = (await readFile(await (await downloading).path(), 'utf8'))
    .replace('\u{FEFF}', '')
    .split('\r\n');
  const line = lines.find(one => one.startsWith(String(payment?.id)))?.split(',') ?? [];
  const row = Object.fromEntries(head.split(',').map((title, index) => [title, line[index]]));
  expect(row).toMatchObject({
    'E-mail': customer.email,
    Product: product?.name,
    Amount: '29.99',
    Refunded: '0.00',
    Currency: 'USD',
    Brand: 'visa',
  });
});

inBrowser('opens records from the palette by their ids and numbers, in a window of one height', async ({ visit }) => {
  const { billing } = tenant;
  const [subscription] = (await billing.subscriptions.list({ limit: 1 }).page()).items;
  const [invoice] = (await billing.invoices.list({ subscriptionId: subscription?.id, limit: 1 }).page()).items;
  const [payment] = (await billing.payments.list({ invoiceId: invoice?.id, limit: 1 }).page()).items;
  const customer = await billing.customers.get(subscription?.customerId ?? '');
  const page = await visit(pageOf(tenant, 'products'), tenant);
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
  const cases = [
    [customer.processorCustomerId, `customers/${customer.id}`],
    [subscription?.processorSubscriptionId, `subscriptions/${subscription?.id}`],
    [invoice?.processorInvoiceId, `invoices/${invoice?.id}`],
    [invoice?.number, `invoices/${invoice?.id}`],
    [customer.id, `customers/${customer.id}`],
    [subscription?.id, `subscriptions/${subscription?.id}`],
    [invoice?.id, `invoices/${invoice?.id}`],
    [payment?.processorPaymentIntentId, `payments/${payment?.id}`],
    [payment?.processorChargeId, `payments/${payment?.id}`],
  ] as const;
  for (const [text, opened] of cases) {
    await page.keyboard.press('ControlOrMeta+k');
    const dialog = page.getByRole('dialog', { name: 'Commands' });
    const before = await dialog.boundingBox();
    await dialog.getByRole('combobox').fill(String(text));
    await dialog.getByRole('option').first().waitFor();
    expect(await dialog.boundingBox()).toEqual(before);
    await page.keyboard.press('Enter');
    await page.waitForURL(url => `${url.pathname}${url.search}`.endsWith(`/${opened}`));
  }
});
