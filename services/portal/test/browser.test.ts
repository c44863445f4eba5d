import { AxeBuilder } from '@axe-core/playwright';
import { isWithoutBrowser, launchBrowser } from '@billing/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { aSubscription, anInvoice, startService } from './service.ts';

const withoutBrowser = isWithoutBrowser();
/** A browser on a busy machine takes its time. */
const PATIENT = { timeout: 120_000 };
const PHONE = { viewport: { width: 320, height: 640 } } satisfies BrowserContextOptions;

it.skipIf(withoutBrowser)(
  'switches tabs, cancels, resumes and goes to pay in place, with nothing for axe to find',
  PATIENT,
  async () => {
    await using portal = await openPortal({ ...PHONE, colorScheme: 'dark' });
    const { page, subscription } = portal;

    for (const tab of ['invoices', 'payment-methods', 'subscriptions']) {
      await page.click(`.tabs [data-tab=${tab}]`);
      await page.locator(`[data-panel=${tab}]`).waitFor();
      expect(page.url()).toContain(`tab=${tab}`);
      await expectReadable(page);
    }
    await page.goBack();
    await page.locator('[data-panel=payment-methods]').waitFor();
    await page.goForward();

    await page.getByRole('link', { name: 'Cancel Pro' }).click();
    await expectReadable(page);
    await page.getByRole('button', { name: 'Cancel subscription' }).click();
    await announced(page, 'is set to end');
    expect(subscription.cancelAtPeriodEnd).toBe(true);
    expect(await page.locator('.card:focus').textContent()).toContain('Ending soon');

    await page.getByRole('button', { name: 'Resume Pro' }).click();
    await announced(page, 'goes on');
    expect(subscription.cancelAtPeriodEnd).toBe(false);

    await page.click('.tabs [data-tab=payment-methods]');
    await page.getByRole('button', { name: 'Add a payment method' }).click();
    await page.waitForURL(/\/c\/pay\//);
    expect(portal.complaints).toEqual([]);
  },
);

it.skipIf(withoutBrowser)('says so when an action fails, and leaves everything as it was', PATIENT, async () => {
  await using portal = await openPortal(PHONE);
  const { page, service } = portal;
  await service.silence('cancellation');
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  await announced(page, 'didn’t go through');
  expect(await page.locator('[data-status]').textContent()).toBe('Active');
});

it.skipIf(withoutBrowser)('does all of it without script', PATIENT, async () => {
  await using portal = await openPortal({ ...PHONE, javaScriptEnabled: false });
  const { page, subscription } = portal;
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  expect(await page.getByRole('status').first().textContent()).toContain('is set to end');
  expect(subscription.cancelAtPeriodEnd).toBe(true);
  await page.getByRole('button', { name: 'Resume Pro' }).click();
  expect(subscription.cancelAtPeriodEnd).toBe(false);
  await page.getByRole('link', { name: 'Payment methods' }).click();
  await page.getByRole('button', { name: 'Add a payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  expect(portal.complaints).toEqual([]);
});

/** The portal of a customer with one subscription and an invoice, in a browser that speaks as the gateway does. */
async function openPortal(options: BrowserContextOptions) {
  const resources = new AsyncDisposableStack();
  const service = resources.use(await startService());
  const subscription = aSubscription(service);
  service.neighbours.subscriptions.push(subscription);
  service.neighbours.invoices.push(anInvoice(service, { status: 'open' }));
  const { token } = await service.portalLink();
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 });

  const browser = resources.use(await launchBrowser());
  const context = await browser.newContext({ ...options, extraHTTPHeaders: service.identity.anonymous() });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', message => complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(String(error)));
  await page.goto(`${address}/portal/${token}`);
  return { page, service, subscription, complaints, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function expectReadable(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.viewport.width);
}

const announced = (page: Page, text: string) =>
  page.locator('#announcer', { hasText: text }).waitFor({ state: 'attached' });
