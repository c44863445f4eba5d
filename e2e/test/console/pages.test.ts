import { isWithoutBrowser } from '@billing/testing/browser';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newTenant, type Tenant } from '../../system/tenant.ts';
import { fillTenant } from '../../system/tenant-life.ts';
import { pageOf, visitConsole } from './browse.ts';
import { DESKTOP, follow, PHONE } from './looks.ts';

const withoutBrowser = isWithoutBrowser();

let tenant: Tenant;
beforeAll(async () => {
  if (withoutBrowser) return;
  tenant = await newTenant();
  await fillTenant(tenant);
});

it.skipIf(withoutBrowser)('lists the checks of the connection one below the other', async () => {
  const user = tenant.user;
  await using visit = await visitConsole(pageOf(tenant, 'settings/connection'), { user, viewport: DESKTOP });
  const checks = visit.page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
  await checks.filter({ hasText: 'Signatures' }).waitFor();
  const boxes = await Promise.all((await checks.all()).map(check => check.boundingBox()));
  expect(boxes).toHaveLength(6);
  expect(new Set(boxes.map(box => box?.x)).size).toBe(1);
  expect(await visit.page.locator('main').innerText()).not.toMatch(/\dT\d\d:\d\d/);
});

it.skipIf(withoutBrowser)('says that there is no such page, and leads back', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'no-such-page'), { user: tenant.user });
  const { page } = visit;
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  expect(await page.title()).toBe('Page not found · Billing');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to the console' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
});

it.skipIf(withoutBrowser)('says that there is nothing with a wrong id, without another try', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'overview'), { user: tenant.user });
  const { page } = visit;
  for (const [path, noun] of [
    ['customers/pc_00000000000000000000', 'customer'],
    ['customers/nonsense', 'customer'],
    ['subscriptions/nonsense', 'subscription'],
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

it.skipIf(withoutBrowser)('shows one customer on one page, and links from each list to its items', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'subscriptions?status=active'), { user: tenant.user });
  const { page, problems } = visit;
  await page.locator('td a').first().click();
  await page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor();
  await page.getByText('Subscribed to Pro: $29.99 a month').waitFor();
  await page.getByText('Paid $29.99').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Subscribed to Pro' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pro' }).waitFor();
  await page.locator('#content').getByRole('link', { name: 'Grace' }).first().waitFor();
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
  expect(problems).toEqual([]);
});

it.skipIf(withoutBrowser)('finds pages and customers by a few letters, without a mouse', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'overview'), { user: tenant.user });
  const { page } = visit;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('invoi');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('seat');
  await page.getByRole('option', { name: /Seats.*Feature/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Seats' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('grace');
  await page.getByRole('option', { name: /Grace/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor();
});

it.skipIf(withoutBrowser)('loads at most 250 KB before the first page is complete', async () => {
  await using visit = await visitConsole('/llms.txt');
  const { page } = visit;
  let bytes = 0;
  page.on('response', response => (bytes += Number(response.headers()['content-length'] ?? 0)));
  await page.goto(new URL('/sign-in', page.url()).href, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(250 * 1_024);
});

it.skipIf(withoutBrowser)('loads at most 250 KB for the whole overview, with its charts and its font', async () => {
  await using visit = await visitConsole('/llms.txt', { user: tenant.user });
  const { page } = visit;
  const sizes = new Map<string, number>();
  page.on('response', response =>
    sizes.set(new URL(response.url()).pathname, Number(response.headers()['content-length'] ?? 0)),
  );
  await page.goto(new URL(pageOf(tenant, 'overview'), page.url()).href, { waitUntil: 'networkidle' });
  await page.locator('.movement-bar').first().waitFor();
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(250 * 1_024);
});

it.skipIf(withoutBrowser)('shows the account, its sessions, and the pages before sign-in', async () => {
  await using signedIn = await visitConsole('/account', { user: tenant.user });
  await signedIn.page.getByText('This one').waitFor();
  await expectAccessible(signedIn.page);
  await using visit = await visitConsole('/sign-in', { viewport: PHONE });
  await visit.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectAccessible(visit.page);
  await visit.page.getByRole('link', { name: 'Create an account' }).click();
  await visit.page.getByRole('heading', { name: 'Create your account' }).waitFor();
  await expectAccessible(visit.page);
  expect([...signedIn.problems, ...visit.problems]).toEqual([]);
});
