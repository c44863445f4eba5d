import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import type { Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow } from './looks.ts';
import { newTenantWithVariedPast } from './varied-past.ts';

const MOVEMENTS = ['newMrr', 'expansionMrr', 'reactivatedMrr', 'contractionMrr', 'churnedMrr', 'netMrr'] as const;
let tenant: Tenant;
beforeAll(async () => void (tenant = await newTenantWithVariedPast()));

it('has figures of every kind, so that none of the lists is tested empty', async () => {
  const { mrr, mrrExcluded, churnRate, trialConversion } = await tenant.billing.analytics.get({ growthDays: 365 });
  const { totals, history } = await tenant.billing.analytics.history({ days: 365 });
  expect(Math.min(mrr, churnRate, trialConversion.converted, ...Object.values(totals))).toBeGreaterThan(0);
  expect(trialConversion.ended).toBeGreaterThan(trialConversion.converted);
  expect(Object.values(mrrExcluded).some(count => count > 0)).toBe(true);
  expect(history.filter(({ estimated }) => estimated).length).toBeGreaterThan(300);
});

inBrowser('opens the list behind a number of the overview', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'overview?days=90'), tenant);
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
  await expectAccessible(page);
  await euros.click();
  await page.waitForURL(/metric=mrr&currency=eur/);
  expect(`${await page.getByTestId('sum').innerText()} more in EUR`).toBe(revenue);
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
});

inBrowser('opens the list behind a bar, and numbers by keyboard', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'overview?days=7'), tenant);
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
