import { findViolations } from '@billing/testing/accessibility';
import { isWithoutBrowser } from '@billing/testing/browser';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectAccessible } from '../system/accessibility.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { visitConsole, type Visit } from './console/browse.ts';

const SCREENSHOTS = join(import.meta.dirname, '../.turbo/screenshots/docs');
const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 900 };
const withoutBrowser = isWithoutBrowser();

let tenant: Tenant;
/** One for all tests: nothing takes longer than to show the page. */
let visit: Visit;
beforeAll(async () => {
  if (withoutBrowser) return;
  tenant = await newTenant();
  const options = { user: tenant.user, viewport: PHONE, colorScheme: 'dark' } as const;
  visit = await visitConsole('/docs#/Products/createProduct', options);
  await mkdir(SCREENSHOTS, { recursive: true });
});

afterAll(() => visit?.[Symbol.asyncDispose]());

it.skipIf(withoutBrowser)('creates on a phone, in the dark, with the session of who is signed in', async () => {
  const { teamId, projectId, billing } = tenant;
  const { page } = visit;
  const description = page.locator('#operations-tag-Payment_processor small');
  expect((await description.boundingBox())?.width).toBeGreaterThan(200);
  const operation = page.locator('#operations-Products-createProduct');
  expect(await page.locator('h2.job').allInnerTexts()).toContain('Take care of payments');
  await operation.locator('.example-snippets').getByText('curl').first().waitFor();
  await expectAccessible(page);
  await operation.getByRole('textbox', { name: 'teamId' }).fill(teamId);
  await operation.getByRole('textbox', { name: 'projectId' }).fill(projectId);
  expect((await operation.getByRole('textbox', { name: 'teamId' }).boundingBox())?.width).toBeGreaterThan(200);
  expect(await operation.getByRole('textbox', { name: 'Idempotency-Key' }).inputValue()).toBe('');
  await operation.locator('textarea').fill('{ "name": "From the reference" }');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table').getByText('201').first().waitFor();
  expect(await Array.fromAsync(billing.products.list(), ({ name }) => name)).toContain('From the reference');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  await page.screenshot({ path: join(SCREENSHOTS, 'phone.png') });
  expect(visit.problems).toEqual([]);
});

it.skipIf(withoutBrowser)(
  'tries an operation with an API key, shows it as code, and finds another by keyboard',
  async () => {
    const { billing, secret, teamId, projectId, gatewayUrl } = tenant;
    const { id } = await billing.products.create({ name: 'Pro' });
    const { page } = visit;
    await page.context().clearCookies();
    await page.setViewportSize(DESK);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await page.getByLabel('auth-bearer-value').fill(secret);
    await page.getByRole('button', { name: 'Authorize: Apply credentials' }).first().click();
    await page.getByLabel('Close').click();

    const operation = await open(page, 'listProducts');
    await operation.getByRole('textbox', { name: 'teamId' }).fill(teamId);
    await operation.getByRole('textbox', { name: 'projectId' }).fill(projectId);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const response = operation.locator('.live-responses-table');
    await response.getByText(id).waitFor();

    const executed = operation.locator('.responses-wrapper .request-snippets');
    expect(await executed.innerText()).toContain(`curl -X 'GET'`);
    expect(await executed.innerText()).toContain(`Authorization: Bearer ${secret}`);
    await executed.getByRole('button', { name: '@billing/client' }).press('Enter');
    await executed.getByText('billing.products.list').waitFor();
    expect(await executed.innerText()).toContain(`baseUrl: '${gatewayUrl}'`);
    await expectAccessible(page);
    // The rest of the page in the dark is looked at on a phone.
    await page.emulateMedia({ colorScheme: 'dark' });
    // What was out of sight changes its colours once it is looked at.
    const findInDark = () => findViolations(page, '#operations-Products-listProducts');
    await expect.poll(findInDark, { interval: 500 }).toEqual([]);
    await page.screenshot({ path: join(SCREENSHOTS, 'tried.png') });

    const paid = '#operations-webhooks-invoicePaid';
    const webhook = page.locator(paid);
    await webhook.getByRole('button').first().click();
    await webhook.getByText('webhook-signature').first().waitFor();
    expect(await webhook.getByRole('button', { name: 'Execute' }).count()).toBe(0);
    await expectAccessible(page, paid);

    await page.getByLabel('Find operations').fill('Referrals');
    await expect.poll(() => page.locator('.opblock-tag').count()).toBe(1);
    const section = page.locator('#operations-tag-Referrals').getByRole('button');
    await section.focus();
    await page.keyboard.press('Enter');
    const found = page.locator('#operations-Referrals-applyReferral');
    await found.getByRole('button').first().focus();
    await page.keyboard.press('Enter');
    await found.locator('.example-snippets').getByText('curl').first().waitFor();
    expect(page.url()).toContain('#/Referrals/applyReferral');
    expect(visit.problems).toEqual([]);
  },
);

/** Opens an operation of the open section of products, and waits for its snippets. */
async function open(page: Page, id: string) {
  const operation = page.locator(`#operations-Products-${id}`);
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.example-snippets').getByText('curl').first().waitFor();
  return operation;
}
