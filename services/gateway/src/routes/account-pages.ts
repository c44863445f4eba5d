import { Router } from 'express';
import { readAccountPage, type AccountPage } from '#account-pages/account-page.ts';
import type { Handler } from '#http/request-context.ts';

/** `/accept-invitation` and `/reset-password`: the pages that the secret links open. */
export function accountPageRoutes(): Router {
  return Router({ caseSensitive: true, strict: true })
    .get('/accept-invitation', send(readAccountPage('accept-invitation', 'Accept an invitation')))
    .get('/reset-password', send(readAccountPage('reset-password', 'Choose a new password')));
}

const send =
  ({ html, policy }: AccountPage): Handler =>
  (_request, response) =>
    void response.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' }).type('html').send(html);
