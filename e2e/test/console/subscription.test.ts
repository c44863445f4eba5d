import type { Subscription } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { addMember, newMonthlyPrice, newSubscription, newTenant, newUser, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { expectFitting, follow, PHONE, takeScreenshot } from './looks.ts';

let tenant: Tenant;
let subscription: Subscription;
let productId: string;
beforeAll(async () => {
  tenant = await newTenant();
  const price = await newMonthlyPrice(tenant);
  ({ productId } = price);
  subscription = await newSubscription(tenant, price.priceId);
});

const focused = (page: Page) => page.evaluate<string>('document.activeElement.outerHTML');

inBrowser('shows a subscription, and cancels and resumes it by keyboard', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'subscriptions'), tenant);
  await page.getByRole('link', { name: 'Pro', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Pro' }).waitFor();
  const content = page.locator('#content');
  await content.getByRole('link', { name: 'Grace' }).first().waitFor();
  await content.getByRole('region', { name: 'Invoices' }).getByText('Paid').first().waitFor();
  await content.getByRole('region', { name: 'Payments' }).getByText('Succeeded').waitFor();
  await content.getByText(/^Renews .+: \$29\.99 before discounts and taxes$/).waitFor();
  await content.getByRole('link', { name: 'Created', exact: true }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'subscription');

  await page.getByRole('button', { name: 'Cancel…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Cancel the subscription' });
  const words = await dialog.innerText();
  for (const said of ['Grace', 'Pro', '$29.99 a month', 'keeps access until', 'The $29.99 due then is not charged'])
    expect(words).toContain(said);
  expect(words).toContain(new Date(subscription.currentPeriodEnd).toLocaleDateString('en-US', { dateStyle: 'medium' }));
  expect(await focused(page)).toContain('type="radio"');
  await expectAccessible(page);
  await takeScreenshot(page, 'cancel-dialog');
  // Past why they cancel, and what they say about it.
  for (let field = 0; field < 3; field += 1) await page.keyboard.press('Tab');
  expect(await focused(page)).toContain('Go back');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await focused(page)).toContain('Cancel…');

  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Miss');
  await page.keyboard.press('Tab');
  await page.keyboard.type('No invoices in Latin.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('The subscription ends with its period.').waitFor();
  await content.getByText(/^Ends /).waitFor();
  await content.getByText('Missing features').waitFor();
  const said = { reason: 'missing_features', comment: await content.getByText(/Latin/).innerText() };
  expect((await tenant.billing.subscriptions.get(subscription.id)).cancellation).toEqual(said);
  await content.getByRole('link', { name: 'Set to end' }).waitFor();
  await page.getByRole('button', { name: 'Resume…' }).press('Enter');
  await page.getByText('nothing is charged today.').waitFor();
  expect(await focused(page)).toContain('Go back');
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The subscription goes on.').waitFor();
  await content.getByText('by this service').first().waitFor();

  await page.getByRole('button', { name: 'Cancel…' }).press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.getByText('Nothing is refunded, and nothing more is charged.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel now' }).click();
  await page.getByText('The subscription has ended.').waitFor();
  await content.getByText('Canceled', { exact: true }).first().waitFor();
  // Its opener is gone with the subscription.
  await waitFor(async () => (await focused(page)).startsWith('<main'), { what: 'the focus on the page' });
  await page.setViewportSize(PHONE);
  await expectFitting(page, PHONE.width);
});

inBrowser(
  'begins every question before a loss away from the red button, leads back, and to Stripe',
  async ({ visit }) => {
    await addMember(tenant, await newUser());
    const page = await visit(pageOf(tenant, 'overview'), tenant);
    for (const { path, opens, item, action } of [
      { path: `customers/${subscription.customerId}`, opens: 'More', item: 'Delete…', action: 'Delete' },
      { path: `products/${productId}`, opens: 'Archive', item: null, action: 'Archive' },
      { path: 'settings/keys', opens: 'Revoke', item: null, action: 'Revoke' },
      { path: 'settings/members', opens: 'Remove', item: null, action: 'Remove' },
      { path: 'settings/connection', opens: 'Disconnect…', item: null, action: 'Disconnect' },
    ]) {
      await follow(page, pageOf(tenant, path));
      const opener = page.locator('#content').getByRole('button', { name: opens }).last();
      await opener.press('Enter');
      if (item) await page.getByRole('button', { name: item }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: action, exact: true }).waitFor();
      expect([path, await focused(page)]).toEqual([path, expect.not.stringContaining('danger')]);
      await dialog.getByRole('button', { name: 'Go back' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect([path, await focused(page)]).toEqual([path, expect.stringContaining(opens)]);
    }

    // As if the team were connected to Stripe itself: each record leads to its page there.
    await page.route('**/processor', async route => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), isLocal: false } });
    });
    await page.goto(new URL(pageOf(tenant, `subscriptions/${subscription.id}`), page.url()).href);
    await page.getByRole('link', { name: 'Open in Stripe', exact: true }).waitFor();
    for (const { name, leads } of [
      { name: 'Open in Stripe', leads: `/subscriptions/${subscription.processorSubscriptionId}` },
      { name: 'Open the price in Stripe', leads: '/prices/price_' },
      { name: 'Open the payment of $29.99 in Stripe', leads: '/payments/pi_' },
      { name: /^Open invoice .+ in Stripe$/, leads: '/invoices/in_' },
    ]) {
      const link = page.getByRole('link', { name, exact: true });
      expect(await link.getAttribute('href')).toMatch(
        new RegExp(`^https://dashboard\\.stripe\\.com/acct_\\w+/test${leads}`),
      );
      expect(await link.getAttribute('rel')).toBe('noreferrer');
    }
  },
);
