import { AxeBuilder } from '@axe-core/playwright';
import { isWithoutBrowser } from '@billing/testing/browser';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { visitConsole } from './console/browse.ts';

const SCREENSHOTS = join(import.meta.dirname, '../.turbo/screenshots/docs');
const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 900 };
const withoutBrowser = isWithoutBrowser();

let tenant: Tenant;
beforeAll(async () => {
  if (withoutBrowser) return;
  tenant = await newTenant();
  await mkdir(SCREENSHOTS, { recursive: true });
});

it.skipIf(withoutBrowser)('tries an operation with an API key, and shows it as curl and by the client', async () => {
  const { billing, secret, teamId, projectId, gatewayUrl } = tenant;
  const { id } = await billing.products.create({ name: 'Pro' });
  await using visit = await visitConsole('/docs', { viewport: DESK });
  const { page } = visit;
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  await expectAccessible(page);
  await page.getByLabel('auth-bearer-value').fill(secret);
  await page.getByRole('button', { name: 'Authorize: Apply credentials' }).first().click();
  await page.getByLabel('Close').click();

  const operation = await open(page, 'Products', 'listProducts');
  await operation.getByRole('textbox', { name: 'teamId' }).fill(teamId);
  await operation.getByRole('textbox', { name: 'projectId' }).fill(projectId);
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table');
  await answer.getByText(id).waitFor();

  const executed = operation.locator('.responses-wrapper .request-snippets');
  expect(await executed.innerText()).toContain(`curl -X 'GET'`);
  expect(await executed.innerText()).toContain(`Authorization: Bearer ${secret}`);
  await executed.getByRole('button', { name: '@billing/client' }).press('Enter');
  await executed.getByText('billing.products.list').waitFor();
  expect(await executed.innerText()).toContain(`baseUrl: '${gatewayUrl}'`);
  await expectAccessible(page);
  await page.screenshot({ path: join(SCREENSHOTS, 'tried.png') });
  expect(visit.problems).toEqual([]);
});

it.skipIf(withoutBrowser)('creates with the session of who is signed in', async () => {
  const { user, teamId, projectId, billing } = tenant;
  await using visit = await visitConsole('/docs#/Products/createProduct', { user, viewport: DESK });
  const operation = visit.page.locator('#operations-Products-createProduct');
  await operation.locator('.example-snippets').getByText('curl').first().waitFor();
  await operation.getByRole('textbox', { name: 'teamId' }).fill(teamId);
  await operation.getByRole('textbox', { name: 'projectId' }).fill(projectId);
  expect(await operation.getByRole('textbox', { name: 'Idempotency-Key' }).inputValue()).toBe('');
  await operation.locator('textarea').fill('{ "name": "From the reference" }');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table').getByText('201').first().waitFor();
  expect(await Array.fromAsync(billing.products.list(), ({ name }) => name)).toContain('From the reference');
  expect(visit.problems).toEqual([]);
});

it.skipIf(withoutBrowser)('finds an operation and opens it by keyboard, in the dark', async () => {
  await using visit = await visitConsole('/docs', { viewport: DESK, colorScheme: 'dark' });
  const { page } = visit;
  await page.getByLabel('Find operations').fill('Referrals');
  await expect.poll(() => page.locator('.opblock-tag').count()).toBe(1);
  const section = page.locator('#operations-tag-Referrals').getByRole('button');
  await section.focus();
  await page.keyboard.press('Enter');
  const operation = page.locator('#operations-Referrals-applyReferral');
  await operation.getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await operation.locator('.example-snippets').getByText('curl').first().waitFor();
  expect(page.url()).toContain('#/Referrals/applyReferral');
  await expectAccessible(page);
  await page.screenshot({ path: join(SCREENSHOTS, 'dark.png') });
  expect(visit.problems).toEqual([]);
});

it.skipIf(withoutBrowser)('fits a phone, also with a response', async () => {
  const { user, teamId, projectId } = tenant;
  await using visit = await visitConsole('/docs', { user, viewport: PHONE });
  const { page } = visit;
  const description = page.locator('#operations-tag-Payment_processor small');
  expect((await description.boundingBox())?.width).toBeGreaterThan(200);
  const operation = await open(page, 'Products', 'listProducts');
  await operation.getByRole('textbox', { name: 'teamId' }).fill(teamId);
  await operation.getByRole('textbox', { name: 'projectId' }).fill(projectId);
  expect((await operation.getByRole('textbox', { name: 'teamId' }).boundingBox())?.width).toBeGreaterThan(200);
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table').getByText('200').first().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  await expectAccessible(page);
  await page.screenshot({ path: join(SCREENSHOTS, 'phone.png') });
});

/** Opens an operation of a section and waits for its snippets. */
async function open(page: Page, section: string, id: string) {
  await page.locator(`#operations-tag-${section}`).getByRole('button').click();
  const operation = page.locator(`#operations-${section}-${id}`);
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.example-snippets').getByText('curl').first().waitFor();
  return operation;
}

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
}
