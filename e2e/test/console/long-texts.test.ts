import { isWithoutBrowser } from '@billing/testing/browser';
import { expect, it } from 'vitest';
import { fillWithLongTexts } from '../../system/long-texts.ts';
import { newTenant } from '../../system/tenant.ts';
import { pageOf, visitConsole } from './browse.ts';
import { LISTS, pathsOf } from './every-page.ts';
import { follow, untilLoaded } from './looks.ts';

const WIDTHS = [320, 390, 720];

it.skipIf(isWithoutBrowser())('shows no page wider than the window, however long a word is', async () => {
  const tenant = await newTenant();
  const { portalUrl, ...records } = await fillWithLongTexts(tenant);
  await using visit = await visitConsole(pageOf(tenant, 'start'), { user: tenant.user });
  const { page } = visit;
  const tooWide: unknown[] = [];
  const measure = async (path: string) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const taken = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (taken > width) tooWide.push([path, width, taken]);
    }
  };
  for (const { path, heading } of LISTS) {
    await follow(page, pageOf(tenant, path));
    await page.getByRole('heading', { level: 1, name: heading === 'Shop' ? /^W+$/ : heading, exact: true }).waitFor();
    await untilLoaded(page);
    await measure(path);
  }
  for (const path of pathsOf(records)) {
    await follow(page, pageOf(tenant, path));
    await page.locator('.crumb').waitFor();
    await untilLoaded(page);
    await measure(path);
  }
  await page.goto(portalUrl);
  for (const tab of ['subscriptions', 'invoices', 'payment-methods']) {
    await page.click(`.tabs [data-tab=${tab}]`);
    await measure(`portal ${tab}`);
  }
  expect(tooWide).toEqual([]);
});
