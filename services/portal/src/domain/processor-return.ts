import { createHash } from 'node:crypto';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import { isToken } from './token.ts';

/** How long a customer may stay on the processor's page, in seconds. */
const MAX_AGE_S = 3_600;

/**
 * The address at which a customer returns from the processor's page. The processor stores this address, so it contains
 * no token. The browser that leaves keeps the token in a cookie for this one path; the path alone opens nothing.
 */
export interface ProcessorReturn {
  readonly path: string;
  /** Returns the `Set-Cookie` value that stores the token for this path. */
  readonly cookieFor: (token: string) => string;
  /** The `Set-Cookie` value that deletes the cookie: a return works once. */
  readonly expiredCookie: string;
}

/** Returns the id of the return from one operation, so that two portals in one browser use different cookies. */
export const returnIdOf = (operationKey: string): string =>
  createHash('sha256').update(`return ${operationKey}`).digest('base64url').slice(0, 16);

/** Returns path and cookies of the return with this id. */
export function processorReturn(publicUrl: string, returnId: string): ProcessorReturn {
  const path = `/portal/return/${encodeURIComponent(returnId)}`;
  // Lax, because the customer returns by a link on another site.
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`;
  const cookie = (value: string, maxAge: number) =>
    `${PORTAL_RETURN_COOKIE}=${value}; Max-Age=${maxAge}; ${attributes}`;
  return { path, cookieFor: token => cookie(token, MAX_AGE_S), expiredCookie: cookie('', 0) };
}

/** Returns the token in a `Cookie` header, or undefined when there is none. */
export function tokenFromReturnCookie(cookieHeader: string | undefined): string | undefined {
  const pair = cookieHeader?.split(/; */).find(it => it.startsWith(`${PORTAL_RETURN_COOKIE}=`));
  const token = pair?.slice(PORTAL_RETURN_COOKIE.length + 1);
  return token !== undefined && isToken(token) ? token : undefined;
}
