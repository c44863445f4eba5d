import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newTenant } from '../../system/tenant.ts';
import { newAccount, runSync } from '../syncs/account.ts';
import { inBrowser, pageOf } from './browse.ts';
import { DESKTOP, expectFitting, PHONE, takeScreenshot } from './looks.ts';

inBrowser('stops a sync, says what an apply will do, and shows what became of each object', async ({ visit }) => {
  const tenant = await newTenant();
  const { customerIds } = await newAccount(tenant, 2);
  await tenant.callProcessor(`/v1/customers/${customerIds[0]}`, { name: 'Ada Lovelace' });
  const page = await visit(pageOf(tenant, 'settings/connection'), tenant);
  // So that it runs until it is stopped.
  await tenant.processor.fail({ mode: '500', method: 'GET', path: '/v1/products', times: 1_000 });
  await page.getByText('Not compared yet').waitFor();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('heading', { level: 1, name: 'Report' }).waitFor();
  await page.getByText('Not begun yet').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped').waitFor();
  await tenant.processor.clearFaults();

  const { sync } = await runSync(tenant, { mode: 'report', types: ['product', 'price', 'customer'] });
  await page.goto(new URL(pageOf(tenant, `settings/syncs/${sync.id}`), page.url()).href);
  await page.getByRole('row', { name: /^Customers 0 2$/ }).waitFor();
  await page.getByLabel('Type').selectOption({ label: 'Customers' });
  const findings = page.getByRole('region', { name: 'Findings' }).getByRole('row');
  const adas = findings.filter({ hasText: 'Ada Lovelace' });
  // The head and a row for each of the two.
  await findings.nth(3).waitFor({ state: 'detached' });
  await adas.getByText('It has no record here.').waitFor();
  expect(new URL(page.url()).searchParams.get('type')).toBe('customer');
  await expectAccessible(page);
  await takeScreenshot(page, 'sync-report');

  await page.getByRole('button', { name: 'Apply…' }).click();
  await page.getByRole('listitem').filter({ hasText: '2 customers created' }).waitFor();
  await page.getByText('Nothing else is changed there, and nothing is billed.').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'sync-apply-dialog');
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Apply' }).waitFor();
  await page.getByText('Completed').waitFor();
  await page.getByLabel('Type').selectOption({ label: 'Customers' });
  await findings.nth(3).waitFor({ state: 'detached' });
  await page.setViewportSize(PHONE);
  await adas.getByText('It was recorded.').waitFor();
  await expectFitting(page, PHONE.width);
  await takeScreenshot(page, 'sync-apply-phone');
  await page.setViewportSize(DESKTOP);
  await adas.getByRole('link', { name: 'Ada Lovelace' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
  await page.goto(new URL(pageOf(tenant, 'settings/syncs'), page.url()).href);
  await page.getByRole('row').filter({ hasText: 'Stopped' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'syncs');
});

const TOTAL = 9_357;

inBrowser('shows thousands of findings by the page, and exports them by cursor', async ({ visit }) => {
  const tenant = await newTenant();
  const { sync } = await runSync(tenant, { mode: 'report', types: ['customer'] });
  const page = await visit(pageOf(tenant, 'start'), tenant);
  const queries = await serveFindings(page);
  await page.goto(new URL(pageOf(tenant, `settings/syncs/${sync.id}`), page.url()).href);
  await page.getByText('1 – 50 of 9,357').waitFor();
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(10_000);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Row 50', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('skip')).toBe('50');
  await page.reload();
  await page.getByText('51 – 100 of 9,357').waitFor();
  // Another list begins with its first page.
  await page.getByLabel('Type').selectOption({ label: 'Customers' });
  await page.getByText('1 – 50 of 9,357').waitFor();

  queries.length = 0;
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'Save the file' }).click();
  expect((await downloading).suggestedFilename()).toBe(`findings-${sync.id}.csv`);
  await page.getByText(`${TOTAL.toLocaleString('en')} rows are saved`).waitFor();
  const cursors = queries.filter(query => query.has('cursor'));
  expect(cursors).toHaveLength(Math.floor(TOTAL / 100));
  expect(cursors.every(query => query.get('type') === 'customer')).toBe(true);
});

/** Responds with findings that are made up; the cursor of a page is where it begins. Returns the queries. */
async function serveFindings(page: Page): Promise<URLSearchParams[]> {
  const queries: URLSearchParams[] = [];
  await page.route('**/findings?*', async route => {
    const query = new URL(route.request().url()).searchParams;
    queries.push(query);
    const limit = Number(query.get('limit'));
    const from = Number(query.get('cursor') ?? query.get('offset') ?? 0);
    const findings = Array.from({ length: Math.min(limit, TOTAL - from) }, (_, index) => ({
      type: 'customer',
      processorId: `cus_${from + index}`,
      id: null,
      name: `Row ${from + index}`,
      belongsTo: null,
      outcome: 'missing',
      fields: [],
      reason: null,
      applied: false,
    }));
    const hasMore = from + limit < TOTAL;
    const nextCursor = hasMore ? String(from + limit) : null;
    const pagination = { limit, offset: from, total: TOTAL, totalIsExact: true, hasMore, nextCursor };
    await route.fulfill({ json: { findings, pagination } });
  });
  return queries;
}
