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

/** Whether an ancestor cuts off the ring of what has the focus, or there is none. */
const LACKS_RING = `(() => {
  const { activeElement } = document;
  const { outlineStyle, outlineOffset, outlineWidth } = getComputedStyle(activeElement);
  if (activeElement === document.body) return false;
  if (outlineStyle === 'none') return true;
  const ring = parseFloat(outlineOffset) + parseFloat(outlineWidth);
  const inner = activeElement.getBoundingClientRect();
  for (let box = activeElement.parentElement; box; box = box.parentElement) {
    const { overflowX, overflowClipMargin } = getComputedStyle(box);
    if (overflowX === 'visible' || box === document.body) continue;
    const margin = ring - (overflowX === 'clip' ? parseFloat(overflowClipMargin) : 0) - 0.5;
    const outer = box.getBoundingClientRect();
    if (inner.left - margin < outer.left || inner.right + margin > outer.right) return true;
    if (inner.top - margin < outer.top || inner.bottom + margin > outer.bottom) return true;
  }
  return false;
})()`;

/** The ring around what has the focus is shown whole, wherever the tab key leads. */
export async function expectFocusShown(page: Page, tabs: number): Promise<void> {
  const lacking: unknown[] = [];
  for (let pressed = 0; pressed < tabs; pressed += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(LACKS_RING)) lacking.push(await page.evaluate('document.activeElement.outerHTML'));
  }
  expect(lacking).toEqual([]);
}
