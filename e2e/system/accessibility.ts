import { findViolations } from '@billing/testing/accessibility';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Whether what a changed style makes move has come to rest, a frame after the last look. */
const SETTLED = `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(!document.getAnimations().some(one => one instanceof CSSTransition && one.playState !== 'finished')))))`;

/** Expects axe to find nothing on a page, or in a part of it, by all of its rules. */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  // Colours that are still changing are of no scheme.
  await page.waitForFunction(SETTLED, undefined, { polling: 'raf' });
  expect(await findViolations(page, part)).toEqual([]);
}
