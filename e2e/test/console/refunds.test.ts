import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newOpenInvoice } from '../../system/billing-records.ts';
import { newMonthlyPrice, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { takeScreenshot } from './looks.ts';

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

inBrowser('refunds a part of a payment, and then the rest', async ({ visit }) => {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  await newOpenInvoice(tenant, priceId);
  const page = await visit(pageOf(tenant, 'payments'), tenant);
  const refund = page.getByRole('button', { name: 'Refund…' });
  const amount = page.getByLabel('Amount', { exact: true });
  const send = page.getByRole('button', { name: 'Refund', exact: true });
  // The declined renewal has none.
  await refund.waitFor();
  expect(await refund.count()).toBe(1);

  await refund.press('Enter');
  expect(await amount.inputValue()).toBe('29.99');
  expect(await amount.evaluate(input => input === document.activeElement)).toBe(true);
  await expectAccessible(page);
  await takeScreenshot(page, 'desktop-light-refund');
  await page.getByRole('button', { name: 'Go back' }).click();
  expect(await focused(page)).toBe('Refund…');

  await refund.click();
  await amount.fill('30');
  await send.click();
  await page.getByText('No more than $29.99 can be refunded.').waitFor();
  await amount.fill('10');
  await page.getByLabel('Reason').selectOption({ label: 'It was paid twice' });
  await send.click();
  await page.getByText('$10.00 are on their way back.').waitFor();
  await page.locator('.badge', { hasText: 'Partly refunded' }).waitFor();
  const refunds = await tenant.callProcessor('/v1/refunds');
  expect(refunds.data).toMatchObject([{ amount: 1_000, reason: 'duplicate' }]);

  await refund.click();
  expect(await amount.inputValue()).toBe('19.99');
  await send.click();
  await page.getByText('$19.99 are on their way back.').waitFor();
  await refund.waitFor({ state: 'detached' });
});

inBrowser('marks an invoice as uncollectible, voids it, and shows the payment of another', async ({ visit }) => {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  const given = await newOpenInvoice(tenant, priceId);
  const page = await visit(pageOf(tenant, 'invoices'), tenant);
  const status = async (id: string) => (await tenant.billing.invoices.get(id)).status;
  const uncollectible = page.getByRole('button', { name: 'Uncollectible…' });
  const toVoid = page.getByRole('button', { name: 'Void…' });

  await uncollectible.click();
  expect(await focused(page)).toBe('Go back');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Mark as uncollectible' }).click();
  await page.getByText('The invoice is marked as uncollectible.').waitFor();
  expect(await status(given)).toBe('uncollectible');
  await uncollectible.waitFor({ state: 'detached' });

  await toVoid.click();
  expect(await focused(page)).toBe('Go back');
  await takeScreenshot(page, 'desktop-light-void');
  await page.keyboard.press('Escape');
  expect(await status(given)).toBe('uncollectible');
  await toVoid.click();
  await page.getByRole('button', { name: 'Void the invoice' }).click();
  await page.getByText('The invoice is void.').waitFor();
  expect(await status(given)).toBe('void');
  await toVoid.waitFor({ state: 'detached' });

  const open = await newOpenInvoice(tenant, priceId);
  const { hostedInvoiceUrl, number } = await tenant.billing.invoices.get(open);
  await page.reload();
  const [document] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: `Invoice ${number} at Stripe` }).click(),
  ]);
  expect(document.url()).toBe(hostedInvoiceUrl);
  await document.getByRole('button', { name: 'Pay' }).click();
  await document.getByText('Amount paid').waitFor();
  await waitFor(async () => (await status(open)) === 'paid', { what: 'the payment', intervalMs: 50 });
  await page.reload();
  await page.getByText(number ?? '').waitFor();
  expect(await toVoid.count()).toBe(0);
});
