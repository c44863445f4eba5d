import { findViolations } from '@billing/testing/accessibility';
import { isWithoutBrowser, launchBrowser } from '@billing/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { aSubscription, anInvoice } from './billing-samples.ts';
import { startService } from './start-service.ts';

const withoutBrowser = isWithoutBrowser();
const LOGO = 'https://cdn.example/logo';
const IMAGE = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const PHONE = { viewport: { width: 320, height: 640 } } satisfies BrowserContextOptions;

it.skipIf(withoutBrowser)('switches tabs, cancels and resumes in place, without accessibility violations', async () => {
  await using portal = await openPortal({ ...PHONE, colorScheme: 'dark' });
  const { page, subscription, service } = portal;
  await service.configure({ cancellation: { askReason: true } });
  await page.reload();

  for (const tab of ['invoices', 'payment-methods', 'subscriptions']) {
    await page.click(`.tabs [data-tab=${tab}]`);
    await page.locator(`[data-panel=${tab}]`).waitFor();
    expect(page.url()).toContain(`tab=${tab}`);
    await expectAccessible(page);
  }
  await page.goBack();
  await page.locator('[data-panel=payment-methods]').waitFor();
  await page.goForward();

  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await expectAccessible(page);
  await page.getByLabel('It’s too expensive').check();
  await page.getByLabel('Anything else').fill('See you.');
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  await announced(page, 'is set to end');
  expect(service.otherServices.cancellations).toMatchObject([
    { cancellation: { reason: 'too_expensive', comment: 'See you.' } },
  ]);
  expect(subscription.cancelAtPeriodEnd).toBe(true);
  expect(await page.locator('.card:focus').textContent()).toContain('Ending soon');

  await page.getByRole('button', { name: 'Resume Pro' }).click();
  await announced(page, 'goes on');
  expect(subscription.cancelAtPeriodEnd).toBe(false);

  await page.click('.tabs [data-tab=payment-methods]');
  await page.getByRole('button', { name: 'Add a payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  expect(portal.consoleMessages).toEqual([]);
});

it.skipIf(withoutBrowser)('shows a failed action and keeps the status', async () => {
  await using portal = await openPortal(PHONE);
  const { page, service } = portal;
  await service.configure({ brand: { name: 'Zebra', logoUrl: LOGO } });
  await page.reload();
  await page.locator('.mark', { hasText: 'Z' }).waitFor();
  await service.otherServices.stop('cancellation');
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  await announced(page, 'didn’t go through');
  expect(await page.locator('[data-status]').textContent()).toBe('Active');
});

it.skipIf(withoutBrowser)('shows days in the zone of the reader, and names it', async () => {
  await using portal = await openPortal({ ...PHONE, timezoneId: 'Pacific/Kiritimati', locale: 'en-US' });
  const { page } = portal;
  const text = await page.locator('main').innerText();
  expect(text).toMatch(/Renews on\s+Dec 21, 2026/);
  expect(text).toMatch(/Current period\s+Nov 21\s–\sDec 21, 2026/);
  expect(await page.locator('footer').innerText()).toContain('in the time zone Pacific/Kiritimati.');
  expect(portal.consoleMessages).toEqual([]);
});

it.skipIf(withoutBrowser)('does the same without script', async () => {
  await using portal = await openPortal({ ...PHONE, javaScriptEnabled: false });
  const { page, service, subscription } = portal;
  // The letter stands where the logo cannot be shown.
  const { x, y } = (await page.locator('.mark').boundingBox()) ?? { x: 0, y: 0 };
  const mark = () => page.screenshot({ clip: { x: x + 6, y: y + 6, width: 20, height: 20 } });
  const letter = await mark();
  await service.configure({ brand: { logoUrl: LOGO } });
  await page.reload();
  expect(letter.equals(await mark())).toBe(true);
  await page.unroute(LOGO);
  await page.route(LOGO, route => route.fulfill({ contentType: 'image/svg+xml', body: IMAGE }));
  await page.reload();
  expect(letter.equals(await mark())).toBe(false);
  expect(await page.locator('footer').innerText()).toContain('All dates are in UTC.');
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  expect(await page.getByRole('status').first().textContent()).toContain('is set to end');
  expect(subscription.cancelAtPeriodEnd).toBe(true);
  await page.getByRole('button', { name: 'Resume Pro' }).click();
  expect(subscription.cancelAtPeriodEnd).toBe(false);
  await page.getByRole('link', { name: 'Payment methods' }).click();
  await page.getByRole('button', { name: 'Add a payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  expect(portal.consoleMessages).toEqual([]);
});

/** Opens the portal of a customer with one subscription and one invoice in a browser that sends the gateway's header. */
async function openPortal(options: BrowserContextOptions) {
  const resources = new AsyncDisposableStack();
  const service = resources.use(await startService());
  const noon = {
    currentPeriodStart: new Date('2026-11-20T12:00:00Z'),
    currentPeriodEnd: new Date('2026-12-20T12:00:00Z'),
  };
  const subscription = aSubscription(service, noon);
  service.otherServices.subscriptions.push(subscription);
  service.otherServices.invoices.push(anInvoice(service, { status: 'open' }));
  const { token } = await service.createLink();
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 });

  const browser = resources.use(await launchBrowser());
  const context = await browser.newContext({ ...options, extraHTTPHeaders: service.identity.anonymous() });
  const page = await context.newPage();
  const consoleMessages: string[] = [];
  page.on('console', message => {
    if (message.location().url !== LOGO) consoleMessages.push(message.text());
  });
  page.on('pageerror', error => consoleMessages.push(String(error)));
  await page.route(LOGO, route => route.abort());
  await page.goto(`${address}/portal/${token}`);
  return { page, service, subscription, consoleMessages, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.viewport.width);
}

const announced = (page: Page, text: string) =>
  page.locator('#announcer', { hasText: text }).waitFor({ state: 'attached' });
