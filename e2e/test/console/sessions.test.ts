import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newTenant, newUser, type Tenant, type User } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow } from './looks.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

const atSignIn = async (page: Page) => page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
/** In the background no page loads itself anew, so what a reader does there is what finds that the session has ended. */
const setVisibility = async (page: Page, state: DocumentVisibilityState) =>
  page.evaluate(value => Object.defineProperty(document, 'visibilityState', { value, configurable: true }), state);
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
  /** What is still there after sign-in. */
  readonly kept?: (page: Page) => Promise<void>;
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
    act: async page => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('button', { name: 'Save the file' }).click();
    },
  },
  {
    path: 'products',
    heading: 'Products',
    act: async page => {
      await page.getByRole('button', { name: 'New product' }).first().click();
      await page.getByLabel('Name').fill('Pro');
      await page.getByLabel('Amount').fill('29');
      await page.getByRole('button', { name: 'Create the product' }).click();
    },
    kept: async page => {
      expect(await page.getByLabel('Name').inputValue()).toBe('Pro');
      await page.getByRole('button', { name: 'Create the product' }).click();
      await page.getByRole('heading', { level: 1, name: 'Pro', exact: true }).waitFor();
    },
  },
  {
    path: 'settings/connection',
    heading: 'Connection',
    act: async page => {
      const key = page.getByLabel('Secret key');
      await key.fill('sk_test_typed');
      await page.getByRole('button', { name: 'Replace the key' }).last().click();
    },
    kept: async page => expect(await page.getByLabel('Secret key').inputValue()).toBe(''),
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

inBrowser('leads to sign-in whatever finds that the session has ended, and back', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'overview'), tenant);
  for (const { path, heading, act, back = path, kept } of ENCOUNTERS) {
    await follow(page, pageOf(tenant, path));
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await setVisibility(page, 'hidden');
    await page.waitForLoadState('networkidle');
    await page.context().clearCookies();
    await act(page);
    await atSignIn(page);
    await page.getByText('Your session has ended.').waitFor();
    await expectAccessible(page);
    await setVisibility(page, 'visible');
    await signIn(page, tenant.credentials);
    await page.waitForURL(url => url.href.endsWith(pageOf(tenant, back)));
    await page.getByRole('navigation', { name: 'Pages', includeHidden: true }).waitFor();
    await kept?.(page);
  }
});

inBrowser('shows nothing of what was written to who signs in as someone else', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'settings/project'), tenant);
  await page.getByLabel('Name').fill('Secret plans');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await atSignIn(page);
  expect(await page.getByText('Project id').isVisible()).toBe(false);
  await signIn(page, (await newUser()).credentials);
  await page.getByRole('heading', { level: 1, name: 'No such project' }).waitFor();
  expect(await page.content()).not.toContain('Secret plans');
});

inBrowser('keeps the tabs of a browser at one session', async ({ visit }) => {
  const first = await visit(pageOf(tenant, 'products'), tenant);
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
