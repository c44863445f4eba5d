import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const SCREENSHOTS = join(import.meta.dirname, '../../.turbo/screenshots/console');
export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 720, height: 900 };
export const DESKTOP = { width: 1440, height: 900 };
/** More than this, and readers lose their place. https://web.dev/articles/cls */
const MAX_SHIFT = 0.1;
/** The pages that people see the most move less. */
const MOST_VISITED = /^(?:overview|customers|subscriptions|invoices|payments|failing-payments|events)(?:[/?].*)?$/;
const MAX_SHIFT_OF_MOST_VISITED = 0.02;

/** In what a page is shown. */
export interface Look {
  readonly name: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
}

/** Whether `npm run test:system` runs, which looks at everything. */
export const IS_SYSTEM = process.env['SYSTEM'] === '1';

const EVERY_LOOK: readonly Look[] = Object.entries({ desktop: DESKTOP, tablet: TABLET, phone: PHONE }).flatMap(
  ([size, viewport]) =>
    (['light', 'dark'] as const).map(colorScheme => ({
      name: `${size}-${colorScheme}`,
      viewport,
      colorScheme,
    })),
);

/** Every look in `npm run test:system`, else the one with the least room; most other tests see pages as on a desktop. */
export const LOOKS: readonly Look[] = IS_SYSTEM ? EVERY_LOOK : EVERY_LOOK.filter(({ name }) => name === 'phone-dark');

/** What a row is there to do, and which of it another column or the end of the table covers. */
const CUT_ACTIONS = `[...document.querySelectorAll('td:is(.end, .more, .actions) :is(button, a):not(.sheet *)')]
  .filter(action => {
    const [inner, outer] = [action, action.closest('td')].map(box => box.getBoundingClientRect());
    const { right } = action.closest('.table-wrap').getBoundingClientRect();
    return inner.left < outer.left || inner.right > Math.min(outer.right, right);
  })
  .map(action => action.textContent)`;

/** Every action of a row is shown whole, once the table has chosen its layout. */
export async function expectActionsShown(page: Page, where: string): Promise<void> {
  await expect.poll(() => page.evaluate<string[]>(CUT_ACTIONS), { message: where }).toEqual([]);
}

/** Neither the page nor a list on it is wider than the screen, and no action of a row is cut off. */
export async function expectFitting(page: Page, width: number): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  const lists = page.locator('.table-wrap:has(.list)');
  const cut = await lists.evaluateAll(all =>
    all.filter(list => list.scrollWidth > list.clientWidth).map(list => list.innerHTML),
  );
  expect(cut).toEqual([]);
  await expectActionsShown(page, `${page.url()}, ${width}`);
}

/** Adds up how far each page of a window moves what it shows, without the reader doing anything. What goes away moves nowhere. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    self.shifts = [];
    const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
    const describe = ({ node, previousRect, currentRect }) =>
      [(node?.outerHTML ?? node?.textContent)?.slice(0, 80), place(previousRect), place(currentRect)].join(' | ');
    new PerformanceObserver(list => {
      for (const { hadRecentInput, value, sources } of list.getEntries())
        if (!hadRecentInput && sources.some(({ currentRect }) => currentRect.width > 0)) shifts.push([value, ...sources.map(describe)]);
    }).observe({ type: 'layout-shift', buffered: true });
  `);
}

/** Has each response of the API come a little later, out of order, so that a page shows what it does while it waits. */
export async function delayResponses(page: Page, delayMs = 40): Promise<void> {
  await page.route('**/api/service/**', async route => {
    await pause(delayMs * ((route.request().url().length % 5) / 2));
    await route.continue();
  });
}

/** Expects that little has moved on a page since the last time, in a window of {@link watchShifts}. */
export async function expectSteady(page: Page, path: string): Promise<void> {
  const shifts = await page.evaluate<[number, ...string[]][]>('shifts.splice(0)');
  const total = shifts.reduce((sum, [value]) => sum + value, 0);
  const most = MOST_VISITED.test(path) ? MAX_SHIFT_OF_MOST_VISITED : MAX_SHIFT;
  expect(total, `${path}: ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(most);
}

/** Waits until everything on the page has loaded. */
export async function untilLoaded(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.skeleton, [aria-busy=true]').count()).toBe(0);
}

/** Goes to another page as a link does, without loading the console anew. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(to => {
    history.pushState({}, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}

/** Leaves a picture for people to look at: of the whole page, or of the window when it shows a dialog. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  const fullPage = (await page.locator('dialog[open]').count()) === 0;
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage });
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
