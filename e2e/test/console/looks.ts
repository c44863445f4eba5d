import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const SCREENSHOTS = join(import.meta.dirname, '../../.turbo/screenshots/console');
export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

/** In what a page is shown: both screens and both sets of colors. */
export const LOOKS = [
  { name: 'desktop-light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'phone-dark', viewport: PHONE, colorScheme: 'dark' },
] as const;

export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** Neither the page nor a list on it is wider than the screen. */
export async function expectFitting(page: Page, width: number): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  const lists = page.locator('.table-wrap:has(.list)');
  const cut = await lists.evaluateAll(all =>
    all.filter(list => list.scrollWidth > list.clientWidth).map(list => list.innerHTML),
  );
  expect(cut).toEqual([]);
}

/** Leaves a picture of what is shown for people to look at. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}
