import { isWithoutBrowser } from '@billing/testing/browser';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import type { AnalyticsSubscription } from '@billing/client';
import { ok } from '../../system/http.ts';
import type { Tenant } from '../../system/tenant.ts';
import { pageOf, visitConsole } from './browse.ts';
import { follow } from './looks.ts';
import { newTenantWithVariedPast } from './varied-past.ts';

const DAYS = 90;
const STEP = 7;
const MOVEMENTS = ['newMrr', 'expansionMrr', 'reactivatedMrr', 'contractionMrr', 'churnedMrr', 'netMrr'] as const;
type Metric =
  | (typeof MOVEMENTS)[number]
  | 'mrr'
  | 'mrrTrialing'
  | 'mrrPaused'
  | 'churn'
  | 'excluded'
  | 'trialConversion';

let tenant: Tenant;
beforeAll(async () => void (tenant = await newTenantWithVariedPast()));

/** A list by HTTP, all of its pages, and what it says that its figure is. */
async function list(metric: Metric, query: string): Promise<{ rows: AnalyticsSubscription[]; total: number }> {
  const rows: AnalyticsSubscription[] = [];
  for (;;) {
    const path = `${tenant.P}/analytics/subscriptions?metric=${metric}&${query}&limit=7&offset=${rows.length}`;
    const { subscriptions, total, pagination } = await ok(tenant.api.get(path));
    rows.push(...subscriptions);
    if (pagination.hasMore) continue;
    expect(rows).toHaveLength(pagination.total);
    expect(new Set(rows.map(({ subscriptionId }) => subscriptionId)).size).toBe(rows.length);
    return { rows, total };
  }
}

/** The exact sum of decimal texts, rounded half up. */
function sum(rows: readonly AnalyticsSubscription[]): number {
  const scaled = rows.map(({ amount }) => {
    const [whole = '', decimals = ''] = amount.split('.');
    return BigInt(whole + decimals.padEnd(18, '0'));
  });
  const doubled = 2n * scaled.reduce((all, one) => all + one, 0n) + 10n ** 18n;
  const rest = ((doubled % (2n * 10n ** 18n)) + 2n * 10n ** 18n) % (2n * 10n ** 18n);
  return Number((doubled - rest) / (2n * 10n ** 18n));
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100);

/** Figures and lists are read one after the other, and an event may be counted between them. */
const untilAllIsCounted = (requireEqual: () => Promise<void>): Promise<void> =>
  vi.waitFor(requireEqual, { timeout: 120_000, interval: 500 });

it('adds every list up to its figure', () => expect(untilAllIsCounted(requireLists)).resolves.toBeUndefined());

async function requireLists(): Promise<void> {
  const { billing } = tenant;
  const { mrr, mrrTrialing, mrrPaused, mrrExcluded, trialConversion, churnRate } = await billing.analytics.get({
    growthDays: DAYS,
  });
  const query = `growthDays=${DAYS}`;
  const inMrr = await list('mrr', query);
  expect([sum(inMrr.rows), inMrr.total]).toEqual([mrr, mrr]);
  const [inTrials, paused] = [await list('mrrTrialing', query), await list('mrrPaused', query)];
  expect([sum(inTrials.rows), inTrials.total]).toEqual([mrrTrialing, mrrTrialing]);
  expect([sum(paused.rows), paused.total]).toEqual([mrrPaused, mrrPaused]);
  const excluded = await list('excluded', query);
  const byReason = Object.fromEntries(
    Object.keys(mrrExcluded).map(reason => [reason, excluded.rows.filter(row => row.reason === reason).length]),
  );
  expect([byReason, excluded.total]).toEqual([mrrExcluded, excluded.rows.length]);
  const trials = await list('trialConversion', query);
  const converted = trials.rows.filter(row => row.converted).length;
  const rate = percent(converted, trials.rows.length);
  expect({ ended: trials.rows.length, converted, rate }).toEqual(trialConversion);
  expect(trials.total).toBe(trialConversion.rate);
  const churned = await list('churn', query);
  expect(churned.total).toBe(churnRate);
  expect(churned.rows.length > 0).toBe(churnRate > 0);

  const { totals } = await billing.analytics.history({ days: DAYS });
  for (const metric of MOVEMENTS) {
    const { rows, total } = await list(metric, query);
    expect([metric, sum(rows), total]).toEqual([metric, totals[metric], totals[metric]]);
  }
}

it('adds the list of every bar up to its figure', () =>
  expect(untilAllIsCounted(requireBars)).resolves.toBeUndefined());

async function requireBars(): Promise<void> {
  const { history } = await tenant.billing.analytics.history({ days: DAYS, step: STEP });
  let before = history[0] && history[0].mrr - history[0].netMrr;
  for (const entry of history) {
    for (const metric of MOVEMENTS) {
      if (entry[metric] === 0) continue;
      const { rows, total } = await list(metric, `from=${entry.from}&to=${entry.date}`);
      expect([entry.date, metric, sum(rows), total]).toEqual([entry.date, metric, entry[metric], entry[metric]]);
    }
    const { rows, total } = await list('mrr', `to=${entry.date}`);
    expect([entry.date, sum(rows), total]).toEqual([entry.date, entry.mrr, entry.mrr]);
    const { newMrr, expansionMrr, reactivatedMrr, contractionMrr, churnedMrr } = entry;
    const moved = newMrr + expansionMrr + reactivatedMrr - contractionMrr - churnedMrr;
    // Each amount is rounded once.
    expect(Math.abs(entry.mrr - (before ?? 0) - moved)).toBeLessThanOrEqual(3);
    before = entry.mrr;
  }
}

it('has figures of every kind, so that none of the lists is tested empty', async () => {
  const { mrr, mrrExcluded, churnRate, trialConversion } = await tenant.billing.analytics.get({ growthDays: 365 });
  const { totals, history } = await tenant.billing.analytics.history({ days: 365 });
  expect(Math.min(mrr, churnRate, trialConversion.converted, ...Object.values(totals))).toBeGreaterThan(0);
  expect(trialConversion.ended).toBeGreaterThan(trialConversion.converted);
  expect(Object.values(mrrExcluded).some(count => count > 0)).toBe(true);
  expect(history.filter(({ estimated }) => estimated).length).toBeGreaterThan(300);
});

it.skipIf(isWithoutBrowser())('opens the list behind a number of the overview', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'overview?days=90'), { user: tenant.user });
  const { page, problems } = visit;
  await page.getByText('Estimated: before the first sync').waitFor();
  await page.getByText('in 90 days, less refunds').waitFor();
  const cards = await linksIn(page, '.figure');
  expect(cards.map(({ text }) => text.split('\n')[0])).toEqual([
    'MRR',
    'ARR',
    'Collected',
    'Past due',
    'Recovered',
    'Customers',
    'Churn',
    'Trial conversion',
    'Active subscriptions',
    'In a trial',
    'Left out of MRR',
  ]);
  // A number on two lines is read as two numbers.
  const heights = await page.locator('.figure .value').evaluateAll(all => all.map(value => value.clientHeight));
  expect(heights.filter(height => height > 48)).toEqual([]);
  const euros = page.locator('.figure').first().getByRole('link', { name: /^€/ });
  const revenue = await euros.innerText();
  await euros.click();
  await page.waitForURL(/metric=mrr&currency=eur/);
  expect(await page.getByTestId('sum').innerText()).toBe(revenue);
  await page.goBack();
  const reasons = await linksIn(page, '.card:has(> .card-head h2:text-is("Cancellations")) .bar-row');
  expect(reasons.map(({ text }) => text.split('\n')[0])).toEqual(
    expect.arrayContaining(['Too expensive', 'No reason']),
  );
  const legend = await linksIn(page, '.legend a');
  expect(legend).toHaveLength(MOVEMENTS.length);
  await page.locator('.movement-bar[fill^="url(#hatch-"]').first().waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Table' }).click();
  const cells = await linksIn(page, 'tbody td a');
  expect(cells.length).toBeGreaterThanOrEqual(13 * (MOVEMENTS.length + 1));
  // Some of them in the browser; all of them are summed above.
  const filled = cells.filter(({ text }) => text !== '$0.00').filter((_cell, index) => index % 12 === 0);

  for (const { href, text } of [...legend, ...filled]) {
    await follow(page, href);
    const shown = /-?\$[\d,.]+$/.exec(text)?.[0];
    // Losses are below zero in the table only.
    const summed = async () => [href, (await page.getByTestId('sum').innerText()).replace('-', '')];
    await expect.poll(summed).toEqual([href, shown?.replace('-', '')]);
    await page.getByRole('heading', { name: 'Left out' }).waitFor();
  }
  for (const { href, text } of reasons) {
    const [reason = '', count] = text.split('\n');
    await follow(page, href);
    await page.getByText(`${count} cancellation`).waitFor();
    const rows = page.locator('[aria-busy=false] tbody tr').filter({ hasText: reason });
    await expect.poll(() => rows.count()).toBe(Number(count));
  }
  for (const { href, text } of cards) {
    const [name = '', value = '', note = ''] = text.split('\n');
    await follow(page, href);
    const isShown = async () => {
      await page.locator('[aria-busy=false] tbody td').first().waitFor();
      const rows = Number(await page.locator('table').getAttribute('aria-rowcount')) - 1;
      const isOfCustomers = !['MRR', 'ARR', 'Churn', 'Trial conversion', 'Left out of MRR'].includes(name);
      const added = isOfCustomers ? '' : await page.getByTestId('sum').innerText();
      const lead = isOfCustomers ? '' : await page.locator('main').innerText();
      const shown: Readonly<Record<string, () => boolean>> = {
        MRR: () => added === value,
        ARR: () => lead.includes(`Sum of ${rows} subscriptions`),
        Collected: () => rows > 0,
        'Past due': () => note.startsWith(`${rows} invoices`),
        Recovered: () => rows > 0 && !value.endsWith('0.00'),
        Churn: () => added === String(rows) && lead.includes(`Churn in 90 days: ${value}.`),
        'Trial conversion': () => note === `${added} of ${rows} that ended in 90 days`,
      };
      return (shown[name] ?? (() => value === rows.toLocaleString('en-US')))();
    };
    await expect.poll(isShown, { message: name }).toBe(true);
  }
  expect(problems).toEqual([]);
});

it.skipIf(isWithoutBrowser())('opens the list behind a bar, and numbers by keyboard', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'overview?days=7'), { user: tenant.user });
  const { page } = visit;
  const bar = page.locator('.movement-bar').first();
  await bar.hover();
  // The tip of its day must not lie in the way.
  await page.locator('.chart-tip').waitFor();
  await bar.click();
  await page.waitForURL(/metric=\w+Mrr&days=7&from=\d{4}-\d\d-\d\d&to=/);
  expect(await page.getByTestId('sum').innerText()).toMatch(/^-?\$[\d,]+\.\d\d$/);
  await page.goBack();
  const reactivated = page.locator('.legend').getByRole('link', { name: /^Reactivated/ });
  await reactivated.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Reactivated revenue' }).waitFor();
});

const linksIn = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll(links =>
    links.map(link => ({
      href: (link.querySelector('a') ?? link).getAttribute('href') ?? '',
      text: (link as unknown as { innerText: string }).innerText.trim(), // the DOM's types are not loaded here
    })),
  );
