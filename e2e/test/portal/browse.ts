import { isWithoutBrowser } from '@billing/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { it } from 'vitest';
import { openWindow } from '../../system/browser.ts';

const withoutBrowser = isWithoutBrowser();

interface PortalFixtures {
  /** What the pages wrote to the console, errors of their scripts, and dialogs. There may be none in the end. */
  readonly messages: string[];
  /** Opens a page in a window of its own, which is closed after the test. */
  readonly visit: (url: string, options?: BrowserContextOptions) => Promise<Page>;
}

/** A test that opens pages of the portal in a browser. Skipped without one. */
export const inBrowser = it.extend<PortalFixtures>({
  messages: async ({ skip }, use) => {
    skip(withoutBrowser, 'There is no Chromium.');
    const messages: string[] = [];
    await use(messages);
    if (messages.length > 0) throw new Error(`The pages had messages: ${messages.join('; ')}`);
  },
  visit: async ({ messages }, use) => {
    await using windows = new AsyncDisposableStack();
    await use(async (url, options = {}) => {
      const context = windows.use(await openWindow(options));
      const page = await context.newPage();
      page.on('console', message => messages.push(message.text()));
      page.on('pageerror', error => messages.push(String(error)));
      page.on('dialog', dialog => {
        messages.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.goto(url);
      return page;
    });
  },
});
