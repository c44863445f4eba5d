import type { Operation } from '@billing/contracts/operation';
import { errorBody } from '@billing/contracts/problem';
import type { AttackResponse } from './send.ts';

/** Source locations and SQL, which no response may contain. */
const INTERNALS = /node_modules|\.ts:\d+|\bat \w+ \(|select .+ from |insert into /i;

/**
 * Returns what is wrong with the response to a hostile request. Returns undefined for a success that matches its schema
 * and for a 4xx error in the common form.
 */
export function defectIn(received: AttackResponse, { response }: Pick<Operation, 'response'>): string | undefined {
  const { status, text } = received;
  if (INTERNALS.test(text)) return 'exposes internals';
  if (status >= 200 && status < 300) {
    const read = response.safeParse(jsonOf(text));
    return read.success ? undefined : `success with another shape: ${read.error.message}`;
  }
  if (status < 400 || status >= 500) return 'neither success nor 4xx';
  return defectInError(received);
}

/** Returns what is wrong with the body of an error response; undefined when it has the common form. */
export function defectInError({ headers, text }: AttackResponse): string | undefined {
  const error = errorBody.safeParse(jsonOf(text));
  if (!error.success) return 'error without the common body';
  const { requestId } = error.data.error;
  // A replayed response keeps the request id of the first one.
  if (headers['idempotent-replayed'] === 'true') return undefined;
  return requestId !== '' && requestId === headers['x-request-id'] ? undefined : 'error without its request id';
}

/** The same for the portal, which responds with pages. */
export function defectInPage(response: AttackResponse): string | undefined {
  const { status, headers, text } = response;
  if (INTERNALS.test(text)) return 'exposes internals';
  if (status >= 500) return 'neither a page nor 4xx';
  if (status >= 300 && status < 400)
    return headers['location'] === undefined ? 'redirect without a location' : undefined;
  // The gateway rejects some requests before they reach the portal.
  if (errorBody.safeParse(jsonOf(text)).success) return undefined;
  const isPage = String(headers['content-type']).startsWith('text/html') && text.startsWith('<!doctype html>');
  return isPage ? undefined : 'not a page';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
