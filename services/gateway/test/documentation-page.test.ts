import { AxeBuilder } from '@axe-core/playwright';
import { isWithoutBrowser, launchBrowser } from '@billing/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startGateway } from './harness.ts';

const withoutBrowser = isWithoutBrowser();
const PHONE = { width: 320, height: 640 };
const DESK = { width: 1280, height: 900 };

it.skipIf(withoutBrowser).each([
  { viewport: PHONE, colorScheme: 'dark' },
  { viewport: DESK, colorScheme: 'light' },
] as const)('fits, and gives axe nothing to find: %j', async options => {
  await using docs = await openDocs(options);
  const { page } = docs;
  await page.evaluate(`for (const it of document.querySelectorAll('details')) it.open = true`);
  await expectToFit(page);

  // A chapter and a schema of each kind stand for all: axe takes its time over every line.
  await page.goto(`${docs.url}?q=api+keys`);
  await page.evaluate(`for (const it of document.querySelectorAll('.operation:not([hidden])')) it.open = true`);
  await page.evaluate(`document.querySelector('#schema-PriceCreate').parentElement.open = true`);
  await expectToFit(page);
  await expectAccessible(page);
  expect(docs.complaints).toEqual([]);
});

it.skipIf(withoutBrowser)('is used by keyboard: finds while typing, opens what a link leads to', async () => {
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
  const told = page.locator('#applyReferral');
  await told.waitFor({ state: 'visible' });
  expect(await told.textContent()).toMatch(/curl -X POST[\s\S]*referral_self/);

  await told.getByRole('link', { name: 'ReferralApply' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('#schema-ReferralApply').waitFor({ state: 'visible' });
  expect(docs.complaints).toEqual([]);
});

it.skipIf(withoutBrowser)('finds without script', async () => {
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
  const complaints: string[] = [];
  page.on('console', message => complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(String(error)));
  const url = `${gateway.url}/docs`;
  await page.goto(url);
  return { page, url, complaints, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
}

async function expectToFit(page: Page): Promise<void> {
  const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(excess).toBe(0);
}
