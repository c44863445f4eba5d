import { isWithoutBrowser } from '@billing/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { inject, it } from 'vitest';
import { openWindow } from '../../system/browser.ts';
import type { Caller } from '../../system/http.ts';

const withoutBrowser = isWithoutBrowser();

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts, what the page's policy refused, and requests to other hosts. */
  readonly problems: readonly string[];
}

/** Opens the console in a window of its own, as a user who is signed in, or as nobody. */
export async function visitConsole(
  path: string,
  { user, ...options }: BrowserContextOptions & { readonly user?: Caller } = {},
): Promise<Visit> {
  const gatewayUrl = inject('gatewayUrl');
  const context = await openWindow({ locale: 'en-US', ...options });
  if (user) await context.addCookies(cookiesOf(user, gatewayUrl));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', error => problems.push(error.message));
  page.on('dialog', dialog => problems.push(`a dialog: ${dialog.message()}`));
  page.on('console', message => {
    if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
  });
  page.on('request', request => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== gatewayUrl) problems.push(`a request to ${url.origin}`);
  });
  await page.goto(`${gatewayUrl}${path}`);
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

function cookiesOf(user: Caller, url: string) {
  return user.cookie.split('; ').map(pair => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
}

/** Opens a page of the console in a window of its own, as the user of a tenant, or as nobody. */
export type VisitPage = (
  path: string,
  as?: { readonly user?: Caller },
  options?: BrowserContextOptions,
) => Promise<Page>;

/** A test that opens pages of the console with `visit`; they are closed after it, and must have had no problems. Skipped without a browser. */
export const inBrowser = it.extend<{ visit: VisitPage }>({
  visit: async ({ skip }, use) => {
    skip(withoutBrowser, 'There is no Chromium.');
    await using windows = new AsyncDisposableStack();
    const visits: Visit[] = [];
    await use(async (path, { user } = {}, options) => {
      const opened = windows.use(await visitConsole(path, { ...options, ...(user && { user }) }));
      visits.push(opened);
      return opened.page;
    });
    const all = visits.flatMap(({ problems }) => problems);
    if (all.length > 0) throw new Error(`The pages had problems: ${all.join('; ')}`);
  },
});

/** The address of a project's page. */
export const pageOf = ({ teamId, projectId }: { readonly teamId: string; readonly projectId: string }, page: string) =>
  `/teams/${teamId}/projects/${projectId}/${page}`;
