import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newestPayment } from '../../system/billing-records.ts';
import { newTenant, type Tenant } from '../../system/tenant.ts';
import { fillTenant } from '../../system/tenant-life.ts';
import { inBrowser, pageOf } from './browse.ts';
import { delayResponses, DESKTOP, expectSteady, follow, PHONE, untilLoaded, watchShifts } from './looks.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  await fillTenant(tenant);
});

inBrowser('lists the checks of the connection one below the other', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'settings/connection'), tenant, { viewport: DESKTOP });
  const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
  await checks.filter({ hasText: 'Signatures' }).waitFor();
  const boxes = await Promise.all((await checks.all()).map(check => check.boundingBox()));
  expect(boxes).toHaveLength(8);
  expect(new Set(boxes.map(box => box?.x)).size).toBe(1);
  expect(await page.locator('main').innerText()).not.toMatch(/\dT\d\d:\d\d/);
});

inBrowser('says that there is no such page, and leads back', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'no-such-page'), tenant);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  expect(await page.title()).toBe('Page not found · Billing');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to the console' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
});

inBrowser('says that there is nothing with a wrong id, without another try', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'overview'), tenant);
  for (const [path, noun] of [
    ['customers/pc_00000000000000000000', 'customer'],
    ['customers/nonsense', 'customer'],
    ['subscriptions/nonsense', 'subscription'],
    ['invoices/pinv_00000000000000000000', 'invoice'],
    ['payments/nonsense', 'payment'],
    ['products/pp_00000000000000000000', 'product'],
    ['features/nonsense', 'feature'],
    ['features/NONSENSE', 'feature'],
    ['coupons/nonsense', 'coupon'],
    ['promotion-codes/nonsense', 'promotion code'],
    ['events/evt_nonsense', 'webhook event'],
    ['events/to-you/ev_00000000000000000000', 'event'],
    ['webhook-endpoints/whe_00000000000000000000', 'webhook endpoint'],
    ['webhook-deliveries/nonsense', 'webhook delivery'],
    ['referrals/NONSENSE', 'referral code'],
    ['settings/syncs/nonsense', 'sync'],
  ] as const) {
    await follow(page, pageOf(tenant, path));
    await page
      .getByRole('alert')
      .getByRole('heading', { name: `No such ${noun}` })
      .waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count(), path).toBe(0);
  }
  for (const path of ['/teams/nonsense/projects/nonsense', pageOf({ ...tenant, projectId: 'nonsense' }, 'overview')]) {
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole('heading', { level: 1, name: 'No such project' }).waitFor();
  }
  const unknown = await page.goto(new URL('/nonsense', page.url()).href);
  expect(unknown?.status()).toBe(404);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
});

inBrowser('shows one customer on one page, and links from each list to its items', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'subscriptions?status=active'), tenant);
  await page.locator('td a').first().click();
  await page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor();
  await page.getByText('Subscribed to Pro: $29.99 a month').waitFor();
  await page.getByText('Paid $29.99 for Pro').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Subscribed to Pro' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pro' }).waitFor();
  await page.locator('#content').getByRole('link', { name: 'Grace' }).first().waitFor();
  await page.getByText('Developers', { exact: true }).click();
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await page.locator('td a').first().click();
  await page.getByText('As Stripe sent it.').waitFor();
  await page.getByText('"event"').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Products', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
  await page.locator('td a').first().click();
  await page.getByRole('heading', { level: 1, name: 'Pro' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Referrals', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Referrals' }).waitFor();
  await page.locator('td a').first().click();
  await page.getByText('Converted', { exact: true }).waitFor();
  await expectAccessible(page);
});

/** Once there is no dialog, whether the focus is on what has opened it, and whether Enter would open it again. */
const AFTER_DIALOG = `new Promise(resolve => {
  const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
  const look = () => {
    const { activeElement } = document;
    resolve([activeElement.textContent, activeElement.dispatchEvent(enter)]);
  };
  const changes = new MutationObserver(() => {
    if (!document.querySelector('dialog')) requestAnimationFrame(() => requestAnimationFrame(look));
  });
  changes.observe(document.body, { childList: true });
})`;

inBrowser('does not open a dialog again by the key that has sent its form', async ({ visit }) => {
  const { items } = await tenant.billing.customers.list({ limit: 1 }).page();
  const page = await visit(pageOf(tenant, `customers/${items[0]?.id}`), tenant);
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Edit…' }).press('Enter');
  await page.getByLabel('Name', { exact: true }).fill('Grace');
  const after = page.evaluate(AFTER_DIALOG);
  await page.keyboard.press('Enter');
  expect(await after).toEqual(['More', false]);
});

inBrowser('loads at most 250 KB before the first page is complete', async ({ visit }) => {
  const page = await visit('/llms.txt');
  let bytes = 0;
  page.on('response', response => (bytes += Number(response.headers()['content-length'] ?? 0)));
  await page.goto(new URL('/sign-in', page.url()).href, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(250 * 1_024);
});

inBrowser(
  'loads at most 200 KB in 40 requests for the whole overview, with its charts and its font',
  async ({ visit }) => {
    const page = await visit('/llms.txt', tenant);
    const sizes = new Map<string, number>();
    page.on('response', response =>
      sizes.set(new URL(response.url()).pathname, Number(response.headers()['content-length'] ?? 0)),
    );
    await page.goto(new URL(pageOf(tenant, 'overview'), page.url()).href, { waitUntil: 'networkidle' });
    await page.locator('.movement-bar').first().waitFor();
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    expect(sizes.size).toBeLessThanOrEqual(40);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(200 * 1_024);
  },
);

inBrowser('reads at most 30 addresses for a record with all that belongs to it', async ({ visit }) => {
  const [subscription] = (await tenant.billing.subscriptions.list({ limit: 1 }).page()).items;
  const { invoiceId, paymentId } = await newestPayment(tenant);
  for (const path of [
    `subscriptions/${subscription?.id}`,
    `customers/${subscription?.customerId}`,
    `invoices/${invoiceId}`,
    `payments/${paymentId}`,
  ]) {
    const page = await visit('/llms.txt', tenant);
    // The page reads again what it has read.
    const requested = new Set<string>();
    page.on('request', request => requested.add(request.url()));
    await page.goto(new URL(pageOf(tenant, path), page.url()).href, { waitUntil: 'networkidle' });
    await page.locator('.crumb').waitFor();
    await untilLoaded(page);
    // What Stripe has sent is read event by event.
    const counted = [...requested].filter(one => !one.includes('/webhook-events/'));
    expect(counted.length, `${path}: ${counted.join(' ')}`).toBeLessThanOrEqual(30);
  }
});

inBrowser('shows the sidebar in its final form at once, with a group open for its pages', async ({ visit }) => {
  const page = await visit('/llms.txt', tenant, { viewport: DESKTOP });
  await watchShifts(page);
  await delayResponses(page);
  await page.addInitScript(`new MutationObserver(() => {
    self.firstSidebar ??= document.querySelector('.sidebar')?.innerText;
  }).observe(document, { childList: true, subtree: true });`);
  await page.goto(new URL(pageOf(tenant, 'events'), page.url()).href);
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await untilLoaded(page);
  const sidebar = page.locator('.sidebar');
  expect(await page.evaluate('firstSidebar')).toBe(await sidebar.innerText());
  await expectSteady(page, 'events');
  expect(await sidebar.innerText()).toContain('Dead letters');

  const entries = page.getByRole('navigation', { name: 'Pages' }).locator('.nav-link:visible');
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  expect(await entries.count()).toBe(12);
  await page.locator('summary', { hasText: 'Settings' }).press('Enter');
  await page.getByRole('link', { name: 'Portal' }).click();
  await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor();
  await page.getByRole('link', { name: 'Members' }).waitFor();
  await expectAccessible(page);
});

inBrowser('shows the account, its sessions, and the pages before sign-in', async ({ visit }) => {
  const signedIn = await visit('/account', tenant);
  await signedIn.getByText('This one').waitFor();
  await expectAccessible(signedIn);
  const page = await visit('/sign-in', {}, { viewport: PHONE });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create your account' }).waitFor();
  await expectAccessible(page);
});
