import type { Operation } from '@billing/contracts/operation';
import { errorBody } from '@billing/contracts/problem';
import type { Answered } from './send.ts';

/** What an answer may not tell strangers: where our code is, and what it says to the database. */
const TELLTALE = /node_modules|\.ts:\d+|\bat \w+ \(|select .+ from |insert into /i;

/**
 * What is wrong with an answer to a hostile request; undefined when it is a success of the declared shape or a refusal in
 * the common form.
 */
export function faultOf(
  { status, headers, text }: Answered,
  { response }: Pick<Operation, 'response'>,
): string | undefined {
  if (TELLTALE.test(text)) return 'it tells of our inside';
  if (status >= 200 && status < 300) {
    const read = response.safeParse(jsonOf(text));
    return read.success ? undefined : `a success of another shape: ${read.error.message}`;
  }
  if (status < 400 || status >= 500) return 'neither a success nor a refusal';
  const refusal = errorBody.safeParse(jsonOf(text));
  if (!refusal.success) return 'a refusal without the common body';
  const { requestId } = refusal.data.error;
  // A refusal that is kept for its key is answered again as it was.
  if (headers['idempotent-replayed'] === 'true') return undefined;
  return requestId !== '' && requestId === headers['x-request-id'] ? undefined : 'a refusal without its request id';
}

/** The same of the portal, which answers with pages. */
export function faultOfPage(answered: Answered): string | undefined {
  const { status, headers, text } = answered;
  if (TELLTALE.test(text)) return 'it tells of our inside';
  if (status >= 500) return 'neither a page nor a refusal';
  if (status >= 300 && status < 400) return headers['location'] === undefined ? 'a redirect to nowhere' : undefined;
  // What the gateway refuses never comes to the portal.
  if (errorBody.safeParse(jsonOf(text)).success) return undefined;
  const isPage = String(headers['content-type']).startsWith('text/html') && text.startsWith('<!doctype html>');
  return isPage ? undefined : 'no page';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
