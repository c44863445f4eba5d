import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { cookieNamed } from '#domain/cookie.ts';
import { EVERY_ANSWER } from '#http/identify-request.ts';

/**
 * What a service gets to see of a request's headers. A list of what passes, not of what is held back: credentials,
 * addresses, identities and whatever a `Connection` header names cannot slip through in any spelling.
 */
const PASSED_ON = [
  'accept',
  'accept-language',
  'if-modified-since',
  'if-none-match',
  'idempotency-key',
  'traceparent',
  'tracestate',
  'user-agent',
] as const;

/** What belongs to one connection, or tells what a service is made of: it is not the caller's. */
const KEPT_BACK = new Set([
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
]);

/** A body as a service receives it. */
export interface PassedBody {
  readonly bytes: Buffer;
  /** The type it goes by. */
  readonly contentType: string;
}

interface Passing {
  readonly requestId: string;
  readonly body: PassedBody | undefined;
  /** The name of the one cookie that passes. */
  readonly cookie?: string | undefined;
}

/** The headers a service receives, without who asks. */
export function upstreamHeaders(
  received: IncomingHttpHeaders,
  { requestId, body, cookie }: Passing,
): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const name of PASSED_ON) {
    const value = received[name];
    if (value !== undefined) headers[name] = value;
  }
  const passed = cookie === undefined ? undefined : cookieNamed(cookie, received.cookie);
  if (passed !== undefined) headers['cookie'] = passed;
  if (body) {
    headers['content-length'] = String(body.bytes.length);
    headers['content-type'] = body.contentType;
  }
  headers['x-request-id'] = requestId;
  // express-http-proxy asks to close every connection otherwise.
  headers['connection'] = 'keep-alive';
  return headers;
}

/** The headers a caller receives of a service's answer; of its cookies the one that passes, if any does. */
export function answerHeaders(
  answered: IncomingHttpHeaders,
  { requestId, cookie }: Pick<Passing, 'requestId' | 'cookie'>,
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ...EVERY_ANSWER };
  for (const [name, value] of Object.entries(answered))
    if (!KEPT_BACK.has(name) && !name.startsWith('x-billing-')) headers[name] = value;
  const cookies = answered['set-cookie']?.filter(it => cookie !== undefined && it.startsWith(`${cookie}=`)) ?? [];
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  headers['x-request-id'] = requestId;
  return headers;
}
