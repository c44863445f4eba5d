import { beforeAll, expect } from 'vitest';
import { inBrowser } from './browse.ts';
import { untilAnnounced, cardOf, openShop, type Shop } from './shop.ts';

const PRO = { name: 'Pro', unitAmount: 2_999, quantity: 3 };
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

const cancelsAtPeriodEnd = async (id: string): Promise<boolean> =>
  (await shop.tenant.billing.subscriptions.get(id)).cancelAtPeriodEnd;

inBrowser('explains a cancellation, shows it immediately, and resumes', async ({ visit }) => {
  const { subscriptions, portalUrl } = await shop.customerWith(PRO);
  const [subscription] = subscriptions;
  if (!subscription) throw new Error('There is no subscription.');
  const page = await visit(portalUrl);
  const card = cardOf(page, subscription);
  expect(await card.innerText()).toMatch(/Pro\s+Active\s+\$29\.99\s*\/ month × 3 = \$89\.97\s+Renews on/);

  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel Pro?' });
  expect(await dialog.innerText()).toMatch(/You keep it until \w+ \d+, \d{4}[\s\S]*You will not be charged again/);
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await cancelsAtPeriodEnd(subscription.id)).toBe(false);

  const released = Promise.withResolvers<void>();
  await page.route('**/api/portal/**', async route => {
    await released.promise;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await dialog.getByRole('button', { name: 'Cancel subscription' }).click();
  await card.getByText('Canceling…').waitFor();
  expect(await cancelsAtPeriodEnd(subscription.id)).toBe(false);
  released.resolve();
  await untilAnnounced(page, 'is set to end');
  expect(await card.innerText()).toMatch(/Ending soon[\s\S]*Cancels on/);
  expect(await cancelsAtPeriodEnd(subscription.id)).toBe(true);

  await page.getByRole('button', { name: 'Resume Pro' }).click();
  await untilAnnounced(page, 'goes on');
  expect(await card.innerText()).toMatch(/Active[\s\S]*Renews on/);
  expect(await cancelsAtPeriodEnd(subscription.id)).toBe(false);
});

inBrowser('cancels and resumes without JavaScript', async ({ visit }) => {
  const { subscriptions, portalUrl } = await shop.customerWith(PRO);
  const id = subscriptions[0]?.id ?? '';
  const page = await visit(portalUrl, { javaScriptEnabled: false });
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  expect(await page.locator('main').innerText()).toMatch(/Cancel Pro\?[\s\S]*You will not be charged again/);
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  expect(await page.getByRole('status').first().innerText()).toContain('set to end');
  expect(await cancelsAtPeriodEnd(id)).toBe(true);
  await page.getByRole('button', { name: 'Resume Pro' }).click();
  expect(await page.getByRole('status').first().innerText()).toContain('goes on');
  expect(await cancelsAtPeriodEnd(id)).toBe(false);
  await page.getByRole('link', { name: 'Invoices' }).click();
  await page.locator('[data-panel=invoices]').waitFor();
  expect(page.url()).toContain('tab=invoices');
});
