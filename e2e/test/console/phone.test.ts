import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { expectFitting, PHONE, untilLoaded } from './looks.ts';

/** What a finger hits, in pixels. */
const TOUCH = 44;

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  await newSubscription(tenant, priceId);
});

inBrowser('shows a row in two lines on a phone, and the rest of it with its actions in a sheet', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'subscriptions'), tenant, { viewport: PHONE });
  const row = page.locator('tbody tr[aria-rowindex]');
  await row.getByText('Active', { exact: true }).waitFor();
  await untilLoaded(page);
  const lines = await row.locator('td:visible').evaluateAll(cells => cells.map(cell => cell.getBoundingClientRect().y));
  expect(new Set(lines.slice(0, 2)).size).toBe(1);
  expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    /^Grace \$29\.99 a month Status: Active Product: Pro /,
  );
  const more = row.getByRole('button', { name: 'More' });
  const size = await more.boundingBox();
  expect(Math.min(size?.width ?? 0, size?.height ?? 0)).toBeGreaterThanOrEqual(TOUCH);
  await expectAccessible(page);

  await more.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Grace' });
  await sheet.getByText(/^Renews/).waitFor();
  await expectFitting(page, PHONE.width);
  await expectAccessible(page);
  const cancel = sheet.getByRole('button', { name: 'Cancel…' });
  expect((await cancel.boundingBox())?.height).toBeGreaterThanOrEqual(TOUCH);
  await cancel.press('Enter');
  const dialog = page.getByRole('dialog', { name: /Cancel/ });
  await dialog.waitFor();
  await sheet.waitFor({ state: 'hidden' });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => more.evaluate(button => button === document.activeElement)).toBe(true);

  await more.press('Enter');
  await sheet.waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
  const box = await row.boundingBox();
  if (!box) throw new Error('There is no row.');
  expect(box.height).toBeLessThan(70);
  // Wherever a row is touched, it opens its page.
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 3);
  await page.getByRole('heading', { level: 1, name: 'Pro' }).waitFor();
});
