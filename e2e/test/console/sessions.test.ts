import { isWithoutBrowser } from '@billing/testing/browser';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { newTenant, newUser, type Tenant, type User } from '../../system/tenant.ts';
import { pageOf, visitConsole } from './browse.ts';
import { follow } from './looks.ts';

const withoutBrowser = isWithoutBrowser();

let tenant: Tenant;
beforeAll(async () => {
  if (!withoutBrowser) tenant = await newTenant();
});

const atSignIn = async (page: Page) => page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
async function signIn(page: Page, { email, password }: User['credentials']) {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

/** On which page a reader does what after the session has ended; by the page's heading, and where sign-in leads to. */
const ENCOUNTERS: readonly {
  readonly path: string;
  readonly heading: string;
  readonly act: (page: Page) => Promise<void>;
  readonly back?: string;
}[] = [
  {
    path: 'overview',
    heading: 'Shop',
    act: page => page.getByRole('link', { name: 'Invoices', exact: true }).click(),
    back: 'invoices',
  },
  {
    path: 'customers?search=grace#list',
    heading: 'Customers',
    act: page => page.getByRole('button', { name: 'Export' }).click(),
  },
  {
    path: 'products',
    heading: 'Products',
    act: async page => {
      await page.getByRole('button', { name: 'New product' }).first().click();
      await page.getByLabel('Name').fill('Pro');
      await page.getByRole('button', { name: 'Create the product' }).click();
    },
  },
  {
    path: 'settings/project',
    heading: 'Project',
    act: async page => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('grace');
    },
  },
];

it.skipIf(withoutBrowser)('leads to sign-in whatever finds that the session has ended, and back', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'overview'), { user: tenant.user });
  const { page, problems } = visit;
  for (const { path, heading, act, back = path } of ENCOUNTERS) {
    await follow(page, pageOf(tenant, path));
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.context().clearCookies();
    await act(page);
    await atSignIn(page);
    await page.getByText('Your session has ended.').waitFor();
    await signIn(page, tenant.credentials);
    await page.waitForURL(url => url.href.endsWith(pageOf(tenant, back)));
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  }
  expect(problems).toEqual([]);
});

it.skipIf(withoutBrowser)('keeps the tabs of a browser at one session', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'products'), { user: tenant.user });
  const { page: first } = visit;
  const second = await first.context().newPage();
  await second.goto(new URL(pageOf(tenant, 'customers?search=x'), first.url()).href);
  await second.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();

  await first.getByRole('button', { name: /Your account/ }).click();
  await first.getByRole('button', { name: 'Sign out' }).click();
  await atSignIn(first);
  await atSignIn(second);
  await signIn(first, tenant.credentials);
  await second.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  expect(second.url()).toContain(pageOf(tenant, 'customers?search=x'));

  // Someone else signs in: nothing of the first reader stays.
  await first.getByRole('button', { name: /Your account/ }).click();
  await first.getByRole('button', { name: 'Sign out' }).click();
  await atSignIn(second);
  await signIn(first, (await newUser()).credentials);
  await second.getByRole('heading', { level: 1, name: 'No such project' }).waitFor();
  expect(await second.getByText('Shop').count()).toBe(0);
});
