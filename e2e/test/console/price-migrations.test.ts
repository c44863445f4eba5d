import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newMonthlyPrice, newSubscription, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { DESKTOP, expectFitting, follow, PHONE, takeScreenshot } from './looks.ts';

inBrowser('reports what a new price changes, and schedules it', async ({ visit }) => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  await billing.prices.create({ productId, unitAmount: 3_999, currency: 'usd', interval: 'month' });
  await billing.prices.create({ productId, unitAmount: 3_999, currency: 'eur', interval: 'month' });
  const staying = await newSubscription(tenant, priceId);
  const leaving = await newSubscription(tenant, priceId);
  await billing.subscriptions.cancelAtPeriodEnd(leaving.id);

  const page = await visit(pageOf(tenant, 'price-migrations'), tenant);
  const dialog = page.getByRole('dialog');
  await page.getByText('No price was replaced yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New report' }).first().press('Enter');
  expect(await dialog.getByLabel('To the price').innerText()).toBe('Choose one');
  await follow(page, pageOf(tenant, `products/${productId}`));
  await page.getByRole('row').filter({ hasText: '$29.99' }).getByRole('link', { name: 'Replace…' }).click();
  await dialog.locator('option:checked', { hasText: 'Pro: $29.99 a month' }).waitFor({ state: 'attached' });
  expect(await dialog.getByLabel('To the price').innerText()).toBe('Choose one\nPro: $39.99 a month');
  await dialog.getByLabel('To the price').selectOption({ label: 'Pro: $39.99 a month' });
  await dialog.getByText('Only some of its subscriptions').click();
  await dialog.getByRole('button', { name: 'Add metadata' }).click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Remove key 1' }).click();
  await dialog.getByRole('button', { name: 'Start the report' }).click();

  await page.getByRole('heading', { level: 1, name: /^Report: .+ a month → .+ a month$/ }).waitFor();
  await page.getByText('Completed').waitFor();
  const rows = page.getByRole('region', { name: 'Subscriptions' }).getByRole('row');
  await rows.filter({ hasText: 'To change' }).filter({ hasText: '$29.99' }).filter({ hasText: '$39.99' }).waitFor();
  await rows.filter({ hasText: 'It is set to cancel.' }).waitFor();
  await page.setViewportSize(PHONE);
  await expectFitting(page, PHONE.width);
  await page.setViewportSize(DESKTOP);
  await page.getByRole('definition').getByRole('link', { name: '1', exact: true }).last().click();
  await rows.filter({ hasText: 'To change' }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('skipped');
  await expectAccessible(page);
  await takeScreenshot(page, 'price-migration-report');

  await page.getByRole('button', { name: 'Apply…' }).press('Enter');
  await dialog
    .getByText(/1 subscription will change from\s+Pro: \$29\.99 a month\s+to\s+Pro: \$39\.99 a month/)
    .waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).not.toBe('Schedule the changes');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Schedule the changes' }).click();
  await page.getByRole('heading', { level: 1, name: /^Apply: .+ a month → .+ a month$/ }).waitFor();
  await page.getByText('Completed').waitFor();
  const changed = await billing.subscriptions.get(staying.id);
  expect(changed.scheduledChange?.effectiveAt).toBe(changed.currentPeriodEnd);
  await rows.filter({ hasText: 'Scheduled' }).getByRole('link', { name: 'Pro' }).click();
  await page.locator('.badge', { hasText: 'Changes' }).waitFor();
  await page.getByText('Developers', { exact: true }).click();
  await page.getByRole('link', { name: 'Price migrations' }).click();
  const migrations = page.getByRole('region', { name: 'Price migrations' }).getByRole('row');
  await migrations.filter({ hasText: 'Apply' }).filter({ hasText: 'Completed' }).waitFor();
});
