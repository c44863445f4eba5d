import { createHmac, timingSafeEqual } from 'node:crypto';
import { cookiePrefixOf, findCookie } from '#domain/browser-headers.ts';

/** The cookies of sign-in, which better-auth signs with the secret. */
export interface SessionCookies {
  /** The name of the session's cookie. */
  readonly name: string;
  /** Returns the token of the session that a `Cookie` header carries; undefined unless we have signed it. */
  tokenOf(header: string | undefined): string | undefined;
  /** Returns what names a sign-in whose second factor is due; undefined unless we have signed it. */
  secondStepOf(header: string | undefined): string | undefined;
  /** Returns a header with at most one cookie of each name that better-auth reads; undefined without any. */
  ofSignIn(header: string | undefined): string | undefined;
}

/** Reads the cookies of sign-in without a query. */
export function sessionCookies({ publicUrl, secret }: { publicUrl: string; secret: string }): SessionCookies {
  const prefix = cookiePrefixOf(publicUrl);
  const name = `${prefix}.session_token`;
  const secondStep = `${prefix}.two_factor`;
  const names = [name, secondStep, `${prefix}.dont_remember`];

  /** A signed cookie is its value, a dot and the value's HMAC-SHA-256 in base64, encoded as a part of a URL. */
  function signedValue(cookie: string, header: string | undefined): string | undefined {
    const pair = findCookie(cookie, header);
    const text = pair === undefined ? undefined : decode(pair.slice(cookie.length + 1));
    if (text === undefined) return undefined;
    const dot = text.lastIndexOf('.');
    const value = text.slice(0, Math.max(dot, 0));
    const expected = createHmac('sha256', secret).update(value).digest();
    const given = Buffer.from(text.slice(dot + 1), 'base64');
    return value !== '' && given.length === expected.length && timingSafeEqual(given, expected) ? value : undefined;
  }

  return {
    name,
    tokenOf: header => signedValue(name, header),
    secondStepOf: header => signedValue(secondStep, header),
    ofSignIn: header => names.flatMap(it => findCookie(it, header) ?? []).join('; ') || undefined,
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
