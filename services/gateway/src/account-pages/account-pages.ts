import { readFileSync } from 'node:fs';
import { Router } from 'express';
import { pagePolicy } from '#http/page-policy.ts';
import type { Handler } from '#http/request-context.ts';

/** The pages that secret links open. */
export function accountPageRoutes(): Router {
  return Router({ caseSensitive: true, strict: true })
    .get('/accept-invitation', send(readAccountPage('accept-invitation', 'Accept an invitation')))
    .get('/verify-email', send(readAccountPage('verify-email', 'Confirm your e-mail address')))
    .get('/reset-password', send(readAccountPage('reset-password', 'Choose a new password')));
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
function readAccountPage(name: 'accept-invitation' | 'verify-email' | 'reset-password', title: string): AccountPage {
  const style = read('page.css');
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
${read(`${name}.html`)}</main>
<script type="module">${script}</script>
</body>
</html>
`;
  return { html, policy: pagePolicy({ style, script, callsApi: true }) };
}

const read = (file: string): string => readFileSync(new URL(`browser/${file}`, import.meta.url), 'utf8');
