/** Returns a URL's path without its query, unchanged. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/** What stands before a token, as the first segments of a path. */
const BEFORE_TOKEN: ReadonlySet<string> = new Set(['/portal', '/api/portal', '/api/service/invitations']);
/** As long as a token that lost its end, and longer than an id. Keys and other secrets are of this kind, too. */
const LIKE_A_TOKEN = /[\w-]{40}/;

/**
 * Returns a path for logs and traces: without the query, and with placeholders for tokens of the portal and of invitations,
 * wherever they stand and however they are spelled, since a link may come garbled or to the wrong place; and for e-mail
 * addresses, with which people look for a customer.
 */
export function templatedPath(url: string): string {
  const end = url.search(/[?#]/);
  const segments = (end === -1 ? url : url.slice(0, end)).split('/');
  let before = '';
  const placeholder = (segment: string, index: number): string => {
    const read = decode(segment);
    const isAtToken = BEFORE_TOKEN.has(before);
    before += `${index === 0 ? '' : '/'}${(read ?? '').toLowerCase()}`;
    if (read === undefined) return ':malformed';
    if (read.includes('@')) return ':address';
    return isAtToken || LIKE_A_TOKEN.test(read) ? ':token' : segment;
  };
  return segments.map(placeholder).join('/') || '/';
}

/** Returns undefined for what no route accepts: a malformed or doubly encoded segment, or an encoded separator. */
function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    const decoded = decodeURIComponent(segment);
    return decoded === segment || !/[%/]/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
