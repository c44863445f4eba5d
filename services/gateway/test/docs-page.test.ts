import { AxeBuilder } from '@axe-core/playwright';
import { isWithoutBrowser, launchBrowser } from '@billing/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startGateway } from './start-gateway.ts';

const withoutBrowser = isWithoutBrowser();
const PHONE = { width: 320, height: 640 };
const DESK = { width: 1280, height: 900 };

it.skipIf(withoutBrowser).each([
  { viewport: PHONE, colorScheme: 'dark' },
  { viewport: DESK, colorScheme: 'light' },
] as const)('fits the screen and is accessible: %j', { timeout: 90_000 }, async options => {
  await using docs = await openDocs(options);
  const { page } = docs;
  await page.evaluate(`for (const it of document.querySelectorAll('details')) it.open = true`);
  await expectToFit(page);

  // axe is slow, so it checks only one section and one schema.
  await page.goto(`${docs.url}?q=api+keys`);
  await page.evaluate(`for (const it of document.querySelectorAll('.operation:not([hidden])')) it.open = true`);
  await page.evaluate(`document.querySelector('#schema-PriceCreate').parentElement.open = true`);
  await expectToFit(page);
  await expectAccessible(page);
  expect(docs.messages).toEqual([]);
});

it.skipIf(withoutBrowser)('can be used by keyboard: filters while typing, opens the target of a link', async () => {
  await using docs = await openDocs({ viewport: DESK });
  const { page } = docs;
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').textContent()).toBe('Skip to the operations');
  await page.getByLabel('Find operations').focus();
  await page.keyboard.type('referrals:read apply');
  expect(await page.locator('details.operation:visible').count()).toBe(1);
  expect(await page.getByRole('status').textContent()).toMatch(/^1 of \d+ operations$/);

  await page.getByRole('link', { name: 'Apply a code to a new customer' }).focus();
  await page.keyboard.press('Enter');
  const details = page.locator('#applyReferral');
  await details.waitFor({ state: 'visible' });
  expect(await details.textContent()).toMatch(/curl -X POST[\s\S]*referral_self/);

  await details.getByRole('link', { name: 'ReferralApply' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('#schema-ReferralApply').waitFor({ state: 'visible' });
  expect(docs.messages).toEqual([]);
});

it.skipIf(withoutBrowser)('filters without JavaScript', async () => {
  await using docs = await openDocs({ viewport: PHONE, javaScriptEnabled: false });
  const { page } = docs;
  await page.getByLabel('Find operations').fill('api keys rotate');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.waitForURL(/\?q=/);
  expect(await page.locator('details.operation:visible').count()).toBe(1);
  await page.locator('details.operation:visible > summary').click();
  await page.locator('#rotateApiKey').waitFor({ state: 'visible' });
});

async function openDocs(options: BrowserContextOptions) {
  const resources = new AsyncDisposableStack();
  const gateway = resources.use(await startGateway());
  const browser = await launchBrowser();
  resources.defer(() => browser.close());
  const page = await (await browser.newContext(options)).newPage();
  const messages: string[] = [];
  page.on('console', message => messages.push(message.text()));
  page.on('pageerror', error => messages.push(String(error)));
  const url = `${gateway.url}/docs`;
  await page.goto(url);
  return { page, url, messages, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
}

async function expectToFit(page: Page): Promise<void> {
  const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(excess).toBe(0);
}
