import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const SCREENSHOTS = join(import.meta.dirname, '../../.turbo/screenshots/console');
export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

/** In what a page is shown: both screens and both sets of colors. The second differs in colors and sizes alone, so axe looks at those. */
export const LOOKS = [
  { name: 'desktop-light', viewport: DESKTOP, colorScheme: 'light', rules: undefined },
  { name: 'phone-dark', viewport: PHONE, colorScheme: 'dark', rules: ['color-contrast'] },
] as const;

/** Neither the page nor a list on it is wider than the screen. */
export async function expectFitting(page: Page, width: number): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  const lists = page.locator('.table-wrap:has(.list)');
  const cut = await lists.evaluateAll(all =>
    all.filter(list => list.scrollWidth > list.clientWidth).map(list => list.innerHTML),
  );
  expect(cut).toEqual([]);
}

/** Goes to another page as a link does, without loading the console anew. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(to => {
    history.pushState({}, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}

/** Leaves a picture of what is shown for people to look at. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}
