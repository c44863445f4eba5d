import { readFileSync } from 'node:fs';
import { Router } from 'express';
import { z } from 'zod';
import { Problem } from '@billing/contracts/problem';
import { invitationToken } from '@billing/contracts/resources/team';
import type { RateLimits } from '#auth/rate-limits.ts';
import { addressGroup } from '#domain/addresses.ts';
import { pagePolicy } from '#http/page-policy.ts';
import { requireWithin } from '#http/rate-limit-headers.ts';
import { readJson } from '#http/request-body.ts';
import type { Handler } from '#http/request-context.ts';
import type { DescribedInvitation } from '#operations/describe-invitation.ts';
import type { ConsoleFiles } from '#routes/console.ts';
import { parse } from '#routes/operation-handler.ts';

type PageName = 'accept-invitation' | 'verify-email' | 'reset-password';

interface Dependencies {
  /** Its font is that of these pages too. */
  readonly consoleFiles: Pick<ConsoleFiles, 'assets'>;
  readonly describeInvitation: (token: string) => Promise<DescribedInvitation>;
  readonly rateLimits: Pick<RateLimits, 'badInvitations'>;
}

/** The pages that secret links open, and what the page of an invitation says about it. */
export function accountPageRoutes(dependencies: Dependencies): Router {
  const page = (name: PageName, title: string) => send(readAccountPage(name, title, dependencies.consoleFiles));
  return Router({ caseSensitive: true, strict: true })
    .get('/accept-invitation', page('accept-invitation', 'Accept an invitation'))
    .post('/accept-invitation', describe(dependencies))
    .get('/verify-email', page('verify-email', 'Confirm your e-mail address'))
    .get('/reset-password', page('reset-password', 'Choose a new password'));
}

const describedBody = z.strictObject({ token: invitationToken });

/** Tells who has the secret of an invitation whom it is from; guesses are limited by address. */
function describe({ describeInvitation, rateLimits }: Dependencies): Handler {
  return async (request, response) => {
    const { token } = parse(describedBody, await readJson(request));
    const address = addressGroup(response.locals.address);
    const usage = rateLimits.badInvitations.peek(address);
    if (!usage.isAllowed) requireWithin(response, usage);
    try {
      response.json({ invitation: await describeInvitation(token) });
    } catch (err) {
      if (err instanceof Problem && err.kind === 'not_found') await rateLimits.badInvitations.take(address);
      throw err;
    }
  };
}

const send =
  ({ html, policy }: AccountPage): Handler =>
  (_request, response) =>
    void response.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' }).type('html').send(html);

/** A page as it is sent. */
interface AccountPage {
  readonly policy: string;
  readonly html: string;
}

/** Reads a page from the folder `browser`. It holds no data: the token of its link stays in the browser, behind the #. */
function readAccountPage(name: PageName, title: string, { assets }: Pick<ConsoleFiles, 'assets'>): AccountPage {
  const font = [...assets.keys()].find(asset => asset.startsWith('inter-latin-wght-'));
  const style = `${font === undefined ? '' : fontFace(font)}${read('page.css')}`;
  const script = `${read('account.js')}${read(`${name}.js`)}`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${LOGO}
${read(`${name}.html`)}</main>
<script type="module">${script}</script>
</body>
</html>
`;
  return { html, policy: pagePolicy({ style, script, callsApi: true, hasFont: font !== undefined }) };
}

const fontFace = (asset: string): string =>
  `@font-face{font-family:'Inter Variable';font-weight:100 900;font-display:swap;src:url(/assets/${asset}) format('woff2')}`;

/** That of the console. */
const LOGO = `<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#5048e5"/><path d="M9 21.5V14m5 7.5v-11m5 11V16m5 5.5v-9" stroke="#fff" stroke-width="2.75" stroke-linecap="round" fill="none"/></svg>`;

const read = (file: string): string => readFileSync(new URL(`browser/${file}`, import.meta.url), 'utf8');
