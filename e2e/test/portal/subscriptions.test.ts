import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, it } from 'vitest';
import { untilAnnounced, cardOf, openShop, type Shop } from './shop.ts';

const PRO = { name: 'Pro', unitAmount: 2_999, quantity: 3 };
const withoutBrowser = isWithoutBrowser();
let shop: Shop;
beforeAll(async () => {
  if (!withoutBrowser) shop = await openShop();
});

const cancelsAtPeriodEnd = async (id: string): Promise<boolean> =>
  (await shop.tenant.billing.subscriptions.get(id)).cancelAtPeriodEnd;

it.skipIf(withoutBrowser)('explains a cancellation, shows it immediately, and resumes', async () => {
  const { subscriptions, portalUrl } = await shop.customerWith(PRO);
  const [subscription] = subscriptions;
  if (!subscription) throw new Error('There is no subscription.');
  await using visitor = await shop.visit(portalUrl);
  const { page } = visitor;
  const card = cardOf(page, subscription);
  expect(await card.innerText()).toMatch(/Pro\s+Active\s+\$29\.99\s*\/ month × 3\s+Renews on/);

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
  expect(visitor.messages).toEqual([]);
});

it.skipIf(withoutBrowser)('reverts an optimistic cancellation when the processor fails', async () => {
  const { subscriptions, portalUrl } = await shop.customerWith(PRO);
  const [subscription] = subscriptions;
  if (!subscription) throw new Error('There is no subscription.');
  await using visitor = await shop.visit(portalUrl);
  const { page } = visitor;
  const { processor } = shop.tenant;
  await processor.fail({ method: 'POST', path: '/v1/subscriptions', mode: '500', times: 50 });
  await page.getByRole('link', { name: 'Cancel Pro' }).click();
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  await untilAnnounced(page, 'didn’t go through');
  expect(await cardOf(page, subscription).innerText()).toMatch(/Active[\s\S]*That didn’t go through/);
  expect(await cancelsAtPeriodEnd(subscription.id)).toBe(false);
  await processor.clearFaults();
});

it.skipIf(withoutBrowser)('cancels and resumes without JavaScript', async () => {
  const { subscriptions, portalUrl } = await shop.customerWith(PRO);
  const id = subscriptions[0]?.id ?? '';
  await using visitor = await shop.visit(portalUrl, { javaScriptEnabled: false });
  const { page } = visitor;
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

it.skipIf(withoutBrowser)('lists an overdue subscription first, with a link to pay', async () => {
  const { subscriptions, portalUrl } = await shop.customerWith({ name: 'Support', unitAmount: 4_900 }, PRO);
  const [overdue] = subscriptions;
  if (!overdue) throw new Error('There is no subscription.');
  const { billing, processor } = shop.tenant;
  await processor.renew(overdue.processorSubscriptionId, 'decline');
  await waitFor(
    async () => {
      const { items } = await billing.invoices.list({ subscriptionId: overdue.id, status: 'open' }).page();
      return items.length > 0 && (await billing.subscriptions.get(overdue.id)).status === 'past_due';
    },
    { what: 'the subscription to be past due' },
  );
  await using visitor = await shop.visit(portalUrl);
  const first = visitor.page.locator('.cards > li').first();
  expect(await first.innerText()).toMatch(/Support\s+Payment overdue[\s\S]*didn’t go through/);
  expect(await first.getByRole('link', { name: 'Update payment method' }).count()).toBe(1);
  await first.getByRole('link', { name: 'Pay now' }).click();
  await visitor.page.waitForURL(/\/i\//);
});
