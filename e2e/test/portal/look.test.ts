import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openShop, PATIENT, type Shop } from './visit.ts';

const withoutBrowser = isWithoutBrowser();
const SCREENSHOTS = join(import.meta.dirname, '../../.turbo/screenshots');
const SMALLEST = { width: 320, height: 640 };
const DESKTOP = { width: 1280, height: 900 };

/** What changes between light and dark is the contrast; the rest of the rules see the same page. */
const COLORS = ['color-contrast'];
const ALL = undefined;

let shop: Shop;
/** The link of a customer with a subscription of each kind. */
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
  if (!support || !analytics) throw new Error('There are subscriptions missing.');
  const { billing, processor } = shop.tenant;
  await billing.subscriptions.cancelAtPeriodEnd(analytics.id);
  await processor.renew(support.processorSubscriptionId, 'decline');
  await waitFor(async () => (await billing.subscriptions.get(support.id)).status === 'past_due', {
    what: 'the payment to be missing',
    timeoutMs: 45_000,
  });
  await mkdir(SCREENSHOTS, { recursive: true });
});
afterAll(() => shop?.[Symbol.asyncDispose]());

it.skipIf(withoutBrowser).each([
  { name: 'smallest-light', viewport: SMALLEST, colorScheme: 'light', rules: COLORS },
  { name: 'smallest-dark', viewport: SMALLEST, colorScheme: 'dark', rules: ALL },
  { name: 'desktop-light', viewport: DESKTOP, colorScheme: 'light', rules: ALL },
  { name: 'desktop-dark', viewport: DESKTOP, colorScheme: 'dark', rules: COLORS },
] as const)('fits, and gives axe nothing to find: $name', PATIENT, async ({ name, viewport, colorScheme, rules }) => {
  await using visitor = await shop.visit(portalUrl, { viewport, colorScheme, reducedMotion: 'reduce' });
  const { page } = visitor;
  for (const tab of ['subscriptions', 'invoices', 'payment-methods']) {
    await page.click(`.tabs [data-tab=${tab}]`);
    await page.locator(`[data-panel=${tab}]`).waitFor();
    expect(page.url()).toContain(`tab=${tab}`);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${tab}.png`), fullPage: true });
    await expectReadable(page, rules);
  }
  await page.click('.tabs [data-tab=subscriptions]');
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-cancel.png`) });
  await expectReadable(page, rules);
  expect(visitor.complaints).toEqual([]);
});

it.skipIf(withoutBrowser)('is used by keyboard alone', PATIENT, async () => {
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
  expect(await dialog.locator(':focus').innerText()).toBe('Cancel subscription');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(await focused()).toContain('Cancel');
});

it.skipIf(withoutBrowser)(
  'is one small answer that needs no other, and is painted when it is there',
  PATIENT,
  async () => {
    await using visitor = await shop.visit(portalUrl);
    const { page } = visitor;
    const visits: Measured[] = [];
    // The first one also pays for the browser's start.
    while (visits.length < 6) {
      await page.reload();
      visits.push(await measure(page));
    }
    const paintedMs = visits
      .slice(1)
      .map(({ paintedMs: ms }) => ms)
      .toSorted((one, other) => one - other);
    console.info(`portal: ${visits[0]?.bytes} bytes, painted ${paintedMs.join(', ')} ms after the answer was there`);
    for (const { bytes, others } of visits) {
      expect(bytes).toBeLessThan(50_000);
      expect(others.filter(name => !name.endsWith('/favicon.ico'))).toEqual([]);
    }
  },
);

interface Measured {
  readonly bytes: number;
  /** From the answer's last byte to the first paint of its content, in milliseconds. */
  readonly paintedMs: number;
  /** What else was loaded. */
  readonly others: readonly string[];
}

/** Reads the browser's own timing of the page it shows. */
function measure(page: Page): Promise<Measured> {
  return waitFor(
    async () =>
      (await page.evaluate(`(() => {
        const [visit] = performance.getEntriesByType('navigation');
        const [paint] = performance.getEntriesByName('first-contentful-paint');
        const others = performance.getEntriesByType('resource').map(({ name }) => name);
        return paint && { bytes: visit.decodedBodySize, paintedMs: Math.round(paint.startTime - visit.responseEnd), others };
      })()`)) as Measured | undefined,
    { what: 'the page to be painted', timeoutMs: 30_000 },
  );
}

async function expectReadable(page: Page, rules: readonly string[] | undefined): Promise<void> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules ? axe.withRules([...rules]) : axe).analyze();
  expect(violations).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}
