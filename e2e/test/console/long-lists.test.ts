import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newTenant } from '../../system/tenant.ts';
import { pageOf, PATIENT, visitConsole } from './browse.ts';

const TOTAL = 100_000;
/** Rows that a page may have in the document at once: those in the window with a margin. */
const MAX_RENDERED = 150;
/** A page that does nothing for so long is frozen; a list of 100,000 rows in the document takes many times as long. */
const MAX_PAUSE_MS = 2_000;

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

const part = (index: number) => ({
  subscriptionId: idOf('ps', index),
  customerId: idOf('pc', index),
  status: 'active',
  currency: 'usd',
  amount: String(index),
  reason: null,
  converted: null,
});

/**
 * The rows are made up in the browser's network, so this measures the console alone: that it asks for pages and keeps only
 * the rows of the window in the document. How fast the services read such pages is another matter.
 */
const LISTS = [
  { path: 'customers', heading: 'Customers', api: 'customers', name: 'customers', row: customer, shows: 'Row 99999' },
  {
    path: 'overview/subscriptions?metric=mrr',
    heading: 'Subscriptions in MRR',
    api: 'analytics/subscriptions',
    name: 'subscriptions',
    row: part,
    shows: '$999.99',
  },
] as const;

it.skipIf(isWithoutBrowser()).each(LISTS)(
  'scrolls through 100,000 rows without a pause: $path',
  PATIENT,
  async ({ path, heading, api, name, row, shows }) => {
    const tenant = await newTenant();
    await using visit = await visitConsole(pageOf(tenant, 'start'), { user: tenant.user });
    const { page, problems } = visit;
    const pages = await servePages(page, `**${tenant.P}/${api}?*`, { name, row });
    await page.goto(new URL(pageOf(tenant, path), page.url()).href);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.locator(`table[aria-rowcount="${TOTAL + 1}"]`).waitFor();

    await page.evaluate(WATCH_FRAMES);
    for (const fraction of [0.1, 0.35, 0.6, 0.85, 1]) {
      await page.evaluate(`scrollTo(0, ${fraction} * document.documentElement.scrollHeight)`);
      const shown = await waitFor(() => shownNear(page, fraction * TOTAL), {
        what: 'the rows there',
        timeoutMs: 30_000,
      });
      expect(shown).toBe(true);
      expect(await page.locator('tbody tr').count()).toBeLessThanOrEqual(MAX_RENDERED);
    }
    await page.getByText(shows, { exact: true }).waitFor();
    expect(await page.evaluate<number>('globalThis.longestPause')).toBeLessThan(MAX_PAUSE_MS);
    expect(pages.size).toBeLessThan(40);
    expect(problems).toEqual([]);
  },
);

/** Returns whether loaded rows of the list about this position are in the document. */
async function shownNear(page: Page, position: number): Promise<boolean> {
  const positions = await page
    .locator('tbody tr[aria-rowindex]')
    .evaluateAll(rows => rows.map(row => Number(row.getAttribute('aria-rowindex'))));
  return positions.some(one => Math.abs(one - position) < 200);
}

/** Remembers the longest time between two frames. */
const WATCH_FRAMES = `
  globalThis.longestPause = 0;
  let last = performance.now();
  const tick = now => {
    globalThis.longestPause = Math.max(globalThis.longestPause, now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);`;

interface Rows {
  readonly name: string;
  readonly row: (index: number) => object;
}

/** Responds to a list's requests with rows that are made up; returns the offsets that were asked for. */
async function servePages(page: Page, pattern: string, { name, row }: Rows): Promise<ReadonlySet<number>> {
  const asked = new Set<number>();
  await page.route(pattern, async route => {
    const query = new URL(route.request().url()).searchParams;
    const [limit, offset] = [Number(query.get('limit') ?? 100), Number(query.get('offset') ?? 0)];
    asked.add(offset);
    const rows = Array.from({ length: Math.min(limit, TOTAL - offset) }, (_, index) => row(offset + index));
    const pagination = { limit, offset, total: TOTAL, hasMore: offset + rows.length < TOTAL };
    await route.fulfill({ json: { [name]: rows, total: 0, pagination } });
  });
  return asked;
}
