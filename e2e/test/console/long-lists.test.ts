import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

/** As far as an offset reaches. */
const REACHED = 100_000;
const TOTAL = REACHED + 250;
/** Rows that a page may have in the document at once: those in the window with a margin. */
const MAX_RENDERED = 150;

const idOf = (prefix: string, index: number) => `${prefix}_${String(index).padStart(24, '0')}`;
const at = '2026-03-01T00:00:00.000Z';

const customer = (index: number) => ({
  id: idOf('pc', index),
  projectId: idOf('proj', 1),
  email: `row-${index}@example.com`,
  name: `Row ${index}`,
  externalId: null,
  processorCustomerId: `cus_${index}`,
  metadata: {},
  createdAt: at,
  updatedAt: at,
});

/** The rows are made up in the browser's network: the console asks for pages and keeps only the rows of the window. */
inBrowser(
  'scrolls through 100,000 rows and those beyond, of which the document has those of the window',
  async ({ visit }) => {
    const tenant = await newTenant();
    const page = await visit(pageOf(tenant, 'start'), tenant);
    const pages = await servePages(page, `**${tenant.P}/customers?*`);
    await page.goto(new URL(pageOf(tenant, 'customers'), page.url()).href);
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    await page.locator('table[aria-rowcount="-1"]').waitFor();

    for (const fraction of [0.1, 0.35, 0.6, 0.85]) {
      await page.evaluate(`scrollTo(0, ${fraction} * document.documentElement.scrollHeight)`);
      const shown = await waitFor(() => shownNear(page, fraction * REACHED), {
        what: 'the rows there',
      });
      expect(shown).toBe(true);
      expect(await page.locator('tbody tr').count()).toBeLessThanOrEqual(MAX_RENDERED);
    }
    const failing = `**${tenant.P}/customers?*offset=3*`;
    const problem = { error: { code: 'internal', message: 'Something went wrong.', requestId: 'req-4713' } };
    await page.route(failing, route => route.fulfill({ status: 500, json: problem }));
    await page.evaluate('scrollTo(0, 0.3 * document.documentElement.scrollHeight)');
    const alert = page.getByRole('alert').filter({ hasText: 'req-4713' });
    // A sticky box may reach a fraction of a pixel beyond the window.
    await expect.poll(() => alert.evaluate(box => box.getBoundingClientRect().bottom < innerHeight + 1)).toBe(true);
    await page.unroute(failing);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await waitFor(() => shownNear(page, 0.3 * REACHED), { what: 'the rows that failed before' });

    const last = page.getByText(`Row ${TOTAL - 1}`, { exact: true });
    const atTheEnd = async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      return last.isVisible();
    };
    await waitFor(atTheEnd, { what: 'the last row' });
    await page.locator(`table[aria-rowcount="${TOTAL + 1}"]`).waitFor();
    expect(Math.max(...pages)).toBe(REACHED);
    expect(pages.size).toBeLessThan(40);
  },
);

/** Returns whether loaded rows of the list about this position are in the document. */
async function shownNear(page: Page, position: number): Promise<boolean> {
  const positions = await page
    .locator('tbody tr[aria-rowindex]')
    .evaluateAll(rows => rows.map(row => Number(row.getAttribute('aria-rowindex'))));
  return positions.some(one => Math.abs(one - position) < 200);
}

/** Responds to a list's requests with rows that are made up; returns the wanted offsets. */
async function servePages(page: Page, pattern: string): Promise<ReadonlySet<number>> {
  const wanted = new Set<number>();
  await page.route(pattern, async route => {
    const query = new URL(route.request().url()).searchParams;
    const limit = Number(query.get('limit') ?? 100);
    const cursor = query.get('cursor');
    const offset = Number(cursor ?? query.get('offset') ?? 0);
    if (cursor === null) wanted.add(offset);
    const rows = Array.from({ length: Math.min(limit, TOTAL - offset) }, (_, index) => customer(offset + index));
    const next = offset + rows.length;
    const hasMore = next < TOTAL;
    const more = { hasMore, nextCursor: hasMore ? String(next) : null };
    const pagination = { limit, offset, total: TOTAL, totalIsExact: true, ...more };
    await route.fulfill({ json: { customers: rows, pagination } });
  });
  return wanted;
}
