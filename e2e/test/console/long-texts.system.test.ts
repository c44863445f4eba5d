import { expect } from 'vitest';
import { fillWithLongTexts } from '../../system/long-texts.ts';
import { newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { LISTS, pathsOf } from './every-page.ts';
import { delayResponses, expectActionsShown, expectSteady, follow, untilLoaded, watchShifts } from './looks.ts';

const WIDTHS = [320, 390, 720, 1_440];

inBrowser(
  'shows no page wider than the window, and every action steadily, however long a word is',
  async ({ visit }) => {
    const tenant = await newTenant();
    const { portalUrl, ...records } = await fillWithLongTexts(tenant);
    const page = await visit('/llms.txt', tenant);
    await watchShifts(page);
    await delayResponses(page);
    await page.goto(new URL(pageOf(tenant, 'start'), page.url()).href);
    const tooWide: unknown[] = [];
    const measure = async (path: string) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const taken = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (taken > width) tooWide.push([path, width, taken]);
        await expectActionsShown(page, `${path}, ${width}`);
      }
    };
    /** As on a desktop, which shows the most columns. */
    const openSteadily = async (path: string) => {
      await page.evaluate('shifts.length = 0');
      await follow(page, pageOf(tenant, path));
    };
    for (const { path, heading } of LISTS) {
      await openSteadily(path);
      await page.getByRole('heading', { level: 1, name: heading === 'Shop' ? /^W+$/ : heading, exact: true }).waitFor();
      await untilLoaded(page);
      await expectSteady(page, path);
      await measure(path);
    }
    for (const path of pathsOf(records)) {
      await openSteadily(path);
      await page.locator('.crumb').waitFor();
      await untilLoaded(page);
      await expectSteady(page, path);
      await measure(path);
      // What a customer or a subscription has are tables on a desktop.
      if (/^(?:customers|subscriptions)\//.test(path))
        await expect.poll(() => page.locator('table.lines').count(), { message: path }).toBe(0);
    }
    await page.setViewportSize({ width: 1_440, height: 800 });
    await follow(page, pageOf(tenant, 'customers'));
    const name = page.locator('td .cell', { hasText: 'W' }).first();
    await name.hover();
    await expect.poll(() => name.getAttribute('title')).toMatch(/^W{256}$/);
    await page.goto(portalUrl);
    for (const tab of ['subscriptions', 'invoices', 'payment-methods']) {
      await page.click(`.tabs [data-tab=${tab}]`);
      await measure(`portal ${tab}`);
    }
    expect(tooWide).toEqual([]);
  },
);
