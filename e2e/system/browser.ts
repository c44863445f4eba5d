import { launchBrowser } from '@billing/testing/browser';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

/** A page is slow beside other work; what comes at all comes within this time. */
const PATIENCE_MS = 120_000;

let browser: Promise<Browser> | undefined;

/** Opens a window of its own, without cookies, in the one Chromium that the files of a worker share. Close it. */
export async function openWindow(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await (browser ??= launchBrowser())).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
