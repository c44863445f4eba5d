import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectFitting, expectGood } from './fitting.ts';
import { openShop, type Shop } from './shop.ts';

const withoutBrowser = isWithoutBrowser();
const SMALLEST = { width: 320, height: 640 };
/** The languages with the longest words, and one without spaces. */
const LONG_LANGUAGES = ['de', 'fr', 'pl', 'sv', 'ja'];
const DESKTOP = { width: 1280, height: 900 };

let shop: Shop;
/** The portal link of a customer with an active, an overdue, an ending and a trialing subscription. */
let portalUrl: string;
beforeAll(async () => {
  if (withoutBrowser) return;
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

it.skipIf(withoutBrowser).each([
  { name: 'smallest-dark', viewport: SMALLEST, colorScheme: 'dark' },
  { name: 'desktop-light', viewport: DESKTOP, colorScheme: 'light' },
] as const)('fits the screen and passes axe: $name', async ({ viewport, colorScheme }) => {
  await using visitor = await shop.visit(portalUrl, { viewport, colorScheme, reducedMotion: 'reduce' });
  const { page } = visitor;
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
  }
  expect(visitor.messages).toEqual([]);
});

it.skipIf(withoutBrowser)('works with the keyboard alone', async () => {
  await using visitor = await shop.visit(portalUrl);
  const { page } = visitor;
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

it.skipIf(withoutBrowser)('loads as one small response without further requests', async () => {
  await using visitor = await shop.visit(portalUrl);
  const { bytes, others } = await readLoaded(visitor.page);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(50_000);
  expect(others.filter(url => !url.endsWith('/favicon.ico'))).toEqual([]);
});

interface Loaded {
  /** The size of the decoded page, in bytes. */
  readonly bytes: number;
  /** URLs of everything else that was loaded. */
  readonly others: readonly string[];
}

/** Reads the browser's resource timing of the current page. */
async function readLoaded(page: Page): Promise<Loaded> {
  return (await page.evaluate(`(() => ({
    bytes: performance.getEntriesByType('navigation')[0].decodedBodySize,
    others: performance.getEntriesByType('resource').map(({ name }) => name),
  }))()`)) as Loaded; // the shape of the expression above
}
