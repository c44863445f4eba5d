import { randomBytes } from 'node:crypto';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import { isToken } from './token.ts';

/** How long a customer may take on the processor's page, in seconds. */
const MAX_AGE_S = 3_600;

/**
 * The way back from the processor's page. Its address is handed to the processor, which keeps it, so it holds no token;
 * the browser that leaves keeps the token in a cookie that is sent to this one address only. The address alone opens
 * nothing.
 */
export interface WayBack {
  readonly path: string;
  /** A `Set-Cookie` that has this browser come back as the token's holder. */
  readonly cookieFor: (token: string) => string;
  /** A `Set-Cookie` that ends the way back: it leads back once. */
  readonly cookieUsedUp: string;
}

/** An id for a way back: says nothing and opens nothing, it keeps the ways of one browser apart. */
export const createReturnId = (): string => randomBytes(12).toString('base64url');

/** The way back with this id. `publicUrl` may have a path of its own. */
export function wayBack(publicUrl: string, returnId: string): WayBack {
  const { protocol, pathname } = new URL(publicUrl);
  const path = `${pathname.replace(/\/+$/, '')}/portal/return/${encodeURIComponent(returnId)}`;
  // Lax: the processor's page leads here from another site.
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`;
  const cookie = (value: string, maxAge: number) =>
    `${PORTAL_RETURN_COOKIE}=${value}; Max-Age=${maxAge}; ${attributes}`;
  return { path, cookieFor: token => cookie(token, MAX_AGE_S), cookieUsedUp: cookie('', 0) };
}

/** The token that a browser brings back; undefined without one. */
export function returningToken(cookieHeader: string | undefined): string | undefined {
  const pair = cookieHeader?.split(/; */).find(it => it.startsWith(`${PORTAL_RETURN_COOKIE}=`));
  const token = pair?.slice(PORTAL_RETURN_COOKIE.length + 1);
  return token !== undefined && isToken(token) ? token : undefined;
}
