import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newOpenInvoice } from '../../system/billing-records.ts';
import { declineCard, newMonthlyPrice, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { expectActionsShown, takeScreenshot } from './looks.ts';

inBrowser('retries a failing payment until it is paid, and counts it as recovered', async ({ visit }) => {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  const { subscriptionId, hostedInvoiceUrl } = await tenant.billing.invoices.get(await newOpenInvoice(tenant, priceId));
  const subscription = await tenant.billing.subscriptions.get(String(subscriptionId));
  const acceptCard = await declineCard(tenant, subscription);
  const page = await visit(pageOf(tenant, 'overview'), tenant, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('link', { name: /^Recovered \$0\.00/ }).click();
  await page.getByText('No payment matches').waitFor();
  await page.getByRole('link', { name: /^Recovering \$29\.99/ }).click();
  const row = page.getByRole('row').filter({ hasText: 'Grace' });
  // A usual window has room for a table.
  await page.locator('table.rows').waitFor();
  for (const said of ['Pro', 'Recovering', 'Your card was declined.', '$29.99']) await row.getByText(said).waitFor();
  await expectActionsShown(page, 'failing payments');
  await row.getByRole('button', { name: 'Copy link' }).click();
  await row.getByText('Copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(hostedInvoiceUrl);

  await row.getByRole('button', { name: 'Retry…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Try the payment again' });
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Go back');
  await expectAccessible(page);
  const charge = dialog.getByRole('button', { name: 'Charge $29.99' });
  await charge.click();
  await dialog.getByRole('alert').filter({ hasText: 'The bank declined the payment (generic_decline).' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'desktop-light-retry');
  await acceptCard();
  await charge.click();
  await page.getByText('The invoice is paid.').waitFor();
  await page.getByText('No payment matches').waitFor();
  await page.getByRole('link', { name: /^Recovered \$29\.99/ }).click();
  await row.getByText('Recovered').waitFor();
  expect(await row.getByRole('button', { name: 'Retry…' }).count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshot(page, 'desktop-light-failing-payments');

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: /^Recovered \$29\.99/ }).click();
  await row.getByText('Recovered').waitFor();
  expect(new URL(page.url()).search).toMatch(/status=recovered&from=\d{4}-\d\d-\d\d/);
});
