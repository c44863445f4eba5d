import type { BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { openWindow } from '../../system/browser.ts';
import type { Caller } from '../../system/http.ts';

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

/** The address of a project's page. */
export const pageOf = ({ teamId, projectId }: { readonly teamId: string; readonly projectId: string }, page: string) =>
  `/teams/${teamId}/projects/${projectId}/${page}`;
