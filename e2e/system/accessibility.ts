import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Whether what a changed style makes move has come to rest, a frame after the last look. */
const SETTLED = `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(!document.getAnimations().some(one => one instanceof CSSTransition && one.playState !== 'finished')))))`;

/** Expects axe to find nothing on a page, or in a part of it, by all of its rules. */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  // Colours that are still changing are of no scheme.
  await page.waitForFunction(SETTLED, undefined, { polling: 'raf' });
  // No page has frames of other sites, for which axe would open a page of its own each time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (part === undefined ? axe : axe.include(part)).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
}
