import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';

/** Words of the page's own texts that a line end cuts in two; names that others wrote may be. */
const CUT_WORDS = `(() => {
  const range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const cut = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.parentElement.closest('bdi, script, style, [hidden], .visually-hidden')) continue;
    for (const { index, 0: word } of text.data.matchAll(/[\\p{Script=Latin}\\d]+/gu)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(line => Math.round(line.bottom))).size > 1) cut.push(word);
    }
  }
  return cut;
})()`;

/** What does not fit on a screen: how many pixels the page is too wide, and words that are cut in two. */
export const readMisfits = async (page: Page) => ({
  pixels: await page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)'),
  words: await page.evaluate<string[]>(CUT_WORDS),
});

/** Expects that nothing is wider than the screen. */
export async function expectFitting(page: Page): Promise<void> {
  expect(await readMisfits(page)).toEqual({ pixels: 0, words: [] });
}

/** Expects that a page fits the screen, and that axe finds nothing on it. */
export async function expectGood(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectFitting(page);
}
