import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect } from 'vitest';
import { inBrowser } from './browse.ts';
import { expectFitting, expectGood } from './fitting.ts';
import { openShop, type Shop } from './shop.ts';

const SMALLEST = { width: 320, height: 640 };
/** The languages with the longest words, and one without spaces. */
const LONG_LANGUAGES = ['de', 'fr', 'pl', 'sv', 'ja'];
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };

let shop: Shop;
/** The portal link of a customer with an active, an overdue, an ending and a trialing subscription. */
let portalUrl: string;
beforeAll(async () => {
  shop = await openShop();
  const customer = await shop.customerWith(
    { name: 'Pro', unitAmount: 2_999, quantity: 3 },
    { name: 'Support', unitAmount: 4_900 },
    { name: 'Analytics', unitAmount: 1_500 },
    { name: 'Backups', unitAmount: 800, trialDays: 14 },
  );
  ({ portalUrl } = customer);
  const [, support, analytics] = customer.subscriptions;
  if (!support || !analytics) throw new Error('The customer lacks a subscription.');
  const { billing, processor } = shop.tenant;
  await billing.subscriptions.cancelAtPeriodEnd(analytics.id);
  await processor.renew(support.processorSubscriptionId, 'decline');
  await waitFor(async () => (await billing.subscriptions.get(support.id)).status === 'past_due', {
    what: 'the subscription to be past due',
  });
});

inBrowser.for([
  { name: 'smallest-dark', viewport: SMALLEST, colorScheme: 'dark' },
  { name: 'desktop-light', viewport: DESKTOP, colorScheme: 'light' },
] as const)('fits the screen and passes axe: $name', async ({ viewport, colorScheme }, { visit }) => {
  const page = await visit(portalUrl, { viewport, colorScheme, reducedMotion: 'reduce' });
  for (const tab of ['subscriptions', 'invoices', 'payment-methods']) {
    await page.click(`.tabs [data-tab=${tab}]`);
    await page.locator(`[data-panel=${tab}]`).waitFor();
    expect(page.url()).toContain(`tab=${tab}`);
    await expectGood(page);
  }
  await page.click('.tabs [data-tab=subscriptions]');
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await expectGood(page);
  for (const language of viewport === SMALLEST ? LONG_LANGUAGES : []) {
    await page.goto(`${portalUrl}?lang=${language}`);
    for (const tab of ['subscriptions', 'invoices', 'payment-methods']) {
      await page.click(`.tabs [data-tab=${tab}]`);
      await expectFitting(page);
    }
    await page.setViewportSize(PHONE);
    const tops = await page.locator('.tabs a').evaluateAll(tabs => tabs.map(tab => tab.getBoundingClientRect().top));
    expect(new Set(tops).size, language).toBe(1);
    await page.setViewportSize(viewport);
  }
});

inBrowser('works with the keyboard alone', async ({ visit }) => {
  const page = await visit(portalUrl);
  const focused = () => page.locator(':focus').innerText();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Return to Northwind');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Invoices');
  await page.keyboard.press('Enter');
  await page.locator('[data-panel=invoices]').waitFor();
  await page.goBack();
  await page.locator('[data-panel=subscriptions]').waitFor();

  await page.getByRole('link', { name: 'Cancel Pro' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Cancel Pro?' });
  await dialog.waitFor();
  expect(await dialog.locator(':focus').innerText()).toBe('Keep it');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(await focused()).toContain('Cancel');
});
