import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow } from './looks.ts';

let tenant: Tenant;
let customerId: string;
let subscriptionId: string;
beforeAll(async () => {
  tenant = await newTenant();
  await tenant.billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
  const { priceId } = await newMonthlyPrice(tenant);
  ({ customerId, id: subscriptionId } = await newSubscription(tenant, priceId));
});

/** Has the palette find something first by a text, without a mouse. */
async function find(page: Page, text: string, found: string | RegExp): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type(text);
  const option = page.getByRole('dialog', { name: 'Commands' }).getByRole('option', { name: found, selected: true });
  await option.waitFor();
}

/** Does what the palette finds first by a text, without a mouse. */
async function command(page: Page, text: string, found: string | RegExp): Promise<void> {
  await find(page, text, found);
  await page.keyboard.press('Enter');
}

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

inBrowser('opens the dialogs of other pages from the palette, without a mouse', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'overview'), tenant);
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  for (const [text, name] of [
    ['new prod', 'New product'],
    ['checkout link', 'New checkout'],
    ['bill new', 'New invoice'],
    ['member invite', 'Invite someone'],
    ['new api', 'New API key'],
    ['shortcuts', 'Keyboard shortcuts'],
  ] as const) {
    await command(page, text, name);
    await page.getByRole('dialog', { name }).waitFor();
    // Other tests look at the other dialogs.
    if (name === 'New checkout') await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await command(page, 'new cust', 'New customer');
  await page.getByRole('dialog', { name: 'New customer' }).waitFor();
  await page.keyboard.type('lin@example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'lin@example.com' }).waitFor();

  await command(page, 'dark', 'Switch to dark colors');
  await page.locator('html[data-scheme=dark]').waitFor();
  await command(page, 'light', 'Switch to light colors');
  await page.locator('html[data-scheme=light]').waitFor();
});

inBrowser('finds pages, features and customers by a few letters, without a mouse', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'overview'), tenant);
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await find(page, 'invoi', /^Invoices/);
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
  for (const [text, found, heading] of [
    ['seat', /Seats.*Feature/, 'Seats'],
    ['grace', /Grace/, 'Grace'],
  ] as const) {
    await command(page, text, found);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
});

inBrowser('does from the palette what concerns the record on screen, without a mouse', async ({ visit }) => {
  const page = await visit(pageOf(tenant, `customers/${customerId}`), tenant);
  await page.getByRole('button', { name: 'Give a feature' }).waitFor();
  await command(page, 'give', /Give a feature/);
  await page.getByRole('dialog', { name: 'Give a feature' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('Give a feature');

  await command(page, 'copy the id', /Copy the id/);
  await page.getByText(/^(?:pc_\w+ is copied\.|The id is not copied\.)/).waitFor();

  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('option', { name: /^Refund…/ }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await command(page, 'refund', /^Refund…/);
  const refund = page.getByRole('dialog', { name: 'Refund the payment' });
  await refund.waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('$29.99 are on their way back.').waitFor();
  await refund.waitFor({ state: 'detached' });

  await follow(page, pageOf(tenant, `subscriptions/${subscriptionId}`));
  await page.getByRole('heading', { level: 1, name: 'Pro' }).waitFor();
  await page.getByRole('button', { name: 'Change plan…' }).waitFor();
  await command(page, 'change plan', /Change plan…/);
  await page.getByRole('dialog', { name: /Change/ }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('Change plan…');
});

inBrowser('offers what a page can do once it has loaded, also when the palette was open before', async ({ visit }) => {
  const page = await visit('/llms.txt', tenant);
  const opened = Promise.withResolvers<void>();
  await page.route(`**/api/**/customers/${customerId}`, async route => {
    await opened.promise;
    await route.continue();
  });
  await page.goto(new URL(pageOf(tenant, `customers/${customerId}`), page.url()).href);
  await page.locator('#content [aria-busy=true]').first().waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('option', { name: 'New customer' }).waitFor();
  const offered = page.getByRole('option', { name: /Give a feature/ });
  expect(await offered.count()).toBe(0);
  opened.resolve();
  await offered.waitFor();
});

inBrowser('reaches the search by / and the shortcuts by ?, but not while the reader types', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'customers'), tenant);
  const search = page.getByRole('searchbox');
  const dialogs = page.getByRole('dialog');
  await search.waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('a/?');
  expect(await search.inputValue()).toBe('a/?');
  expect(await dialogs.count()).toBe(0);

  await follow(page, pageOf(tenant, 'overview'));
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  await page.keyboard.type('/?');
  expect(await page.getByRole('combobox').inputValue()).toBe('/?');
  await page.keyboard.press('Escape');

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await expectAccessible(page);
  // The first field has the focus.
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await dialogs.waitFor({ state: 'detached' });
  for (const key of ['/', '?', 'ControlOrMeta+k']) await page.keyboard.press(key);
  await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  expect(await dialogs.count()).toBe(1);
  await page.keyboard.press('Escape');
  await dialogs.waitFor({ state: 'detached' });

  // At the end: it ends the session of the other tests, too.
  await command(page, 'sign out', 'Sign out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
