import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { findCookie } from '#domain/browser-headers.ts';

/**
 * The request headers that a service receives. An allow-list: credentials, addresses, identities and anything that a
 * `Connection` header names cannot pass in any spelling. Nor can a caller's trace: the proxy adds that of the gateway.
 */
const FORWARDED_HEADERS = [
  'accept',
  'accept-language',
  'if-modified-since',
  'if-none-match',
  'idempotency-key',
  'user-agent',
] as const;

/** The response headers that callers do not receive: of one connection, about the service's software, or the gateway's own. */
const REMOVED_HEADERS = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'server',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-powered-by',
  'x-request-id',
]);

interface Exchange {
  readonly requestId: string;
  /** A body in JSON, or else of a form. */
  readonly body: Buffer | undefined;
  readonly isForm?: boolean;
  /** The name of the only cookie that is forwarded. */
  readonly cookie?: string | undefined;
}

/** Returns the headers that a service receives, without the identity token. */
export function upstreamHeaders(
  received: IncomingHttpHeaders,
  { requestId, body, isForm = false, cookie }: Exchange,
): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const name of FORWARDED_HEADERS) {
    const value = received[name];
    if (value !== undefined) headers[name] = value;
  }
  const forwardedCookie = cookie === undefined ? undefined : findCookie(cookie, received.cookie);
  if (forwardedCookie !== undefined) headers['cookie'] = forwardedCookie;
  if (body) {
    headers['content-length'] = String(body.length);
    headers['content-type'] = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  }
  headers['x-request-id'] = requestId;
  // express-http-proxy would close every connection.
  headers['connection'] = 'keep-alive';
  return headers;
}

/** Returns the headers that a caller receives: our own, and those of the service's response with at most the one cookie. */
export function downstreamHeaders(
  received: IncomingHttpHeaders,
  own: OutgoingHttpHeaders,
  cookie: string | undefined,
): OutgoingHttpHeaders {
  const headers = { ...own };
  for (const [name, value] of Object.entries(received))
    if (!REMOVED_HEADERS.has(name) && !name.startsWith('x-billing-')) headers[name] = value;
  const cookies = received['set-cookie']?.filter(it => cookie !== undefined && it.startsWith(`${cookie}=`)) ?? [];
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  return headers;
}
