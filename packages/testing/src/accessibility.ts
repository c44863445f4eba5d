import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { RunOptions, Result } from 'axe-core';
import type { Page } from 'playwright-core';

/** A rule of axe, and the first elements of the page that break it. */
export type Violation = readonly [rule: string, elements: readonly string[]];

/** No script may run in the frames of pages. */
const OPTIONS: RunOptions = { resultTypes: ['violations'], iframes: false };
let script: Promise<string> | undefined;

/** Looks at a page, or at a part of it, by all rules of axe. */
export async function findViolations(page: Page, part?: string): Promise<Violation[]> {
  script ??= readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  // Once for each document, for it takes longer to read than most pages to look at.
  if (!(await page.evaluate('"axe" in self'))) await page.evaluate(await script);
  const context = part === undefined ? 'document' : JSON.stringify(part);
  const violations = await page.evaluate<Result[]>(
    `axe.run(${context}, ${JSON.stringify(OPTIONS)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
}
