import type { AnyRouter } from '@tanstack/react-router';
import { auth } from '#api/auth.ts';
import { queryClient, sessionQuery } from '#api/client.ts';
import { hasFilledForm, watchForms } from '#api/filled-forms.ts';
import { onSessionOfOtherTab } from '#api/session-news.ts';
import { sessionPause } from '#api/session-pause.ts';
import { onUnauthorized } from '#api/watched-fetch.ts';

/** The pages of people who need not be signed in. */
const ENTRY = ['/sign-in', '/sign-up', '/accept-invitation', '/reset-password', '/verify-email'];

/**
 * Keeps the pages in step with the browser's session. A request that is refused, another tab that signs in or out, and a
 * return to this tab have it look: who is signed out is led to sign-in and from there back, who signed in elsewhere goes
 * on, and what was loaded for someone else is left. A page with a form that is written in waits for its reader instead.
 */
export function watchSession(router: AnyRouter): void {
  let looking: Promise<void> | undefined;
  const look = () => (looking ??= follow(router).finally(() => (looking = undefined)));
  watchForms();
  onUnauthorized(look);
  onSessionOfOtherTab(() => void look());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void look();
  });
}

/** Looks who is signed in, and has the page follow. */
export async function follow(router: AnyRouter): Promise<void> {
  const known = queryClient.getQueryData(sessionQuery.queryKey);
  const current = await auth.session().catch(() => undefined);
  // Without a connection nobody can tell.
  if (current === undefined) return;
  const { pathname } = location;
  const isEntry = ENTRY.includes(pathname);
  if (current && known && current.user.id !== known.user.id) {
    location.reload();
    return;
  }
  if (!current && known && !isEntry && hasFilledForm()) {
    sessionPause.begin();
    return;
  }
  queryClient.setQueryData(sessionQuery.queryKey, current);
  sessionPause.end();
  if (current && isEntry) await router.invalidate();
  if (current || isEntry) return;
  await leave(router);
}

/** Leads who is signed out to sign-in, and from there back. */
export async function leave(router: AnyRouter): Promise<void> {
  const { pathname, search, hash } = location;
  sessionPause.end();
  await router.navigate({ to: '/sign-in', search: { from: pathname + search + hash, ended: true }, replace: true });
  // Whoever signs in may be someone else.
  queryClient.clear();
}
