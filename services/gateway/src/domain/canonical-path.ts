import { invalid } from '@billing/contracts/problem';

/**
 * Maximum length of a canonical path, in characters. No route comes near it, and the path stands in the identity tokens
 * that the gateway and the services keep in memory.
 */
export const MAX_PATH_LENGTH = 4_096;
/** Paths that are canonical as they stand, which are almost all: segments of what `encodeURIComponent` leaves, none of dots. */
const PLAIN = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.!~*'()-]+)+$/;
/** Characters that a decoded segment must not contain: separators, control characters, and `%` (double encoding). */
// eslint-disable-next-line no-control-regex -- the pattern rejects control characters
const FORBIDDEN = /[/\\;%#?\u0000-\u001f\u007f]/;
// eslint-disable-next-line no-control-regex -- the pattern rejects control characters
const CONTROL = /[\u0000-\u001f\u007f]/;
/** What stands before an id that a tenant has chosen, which may have any character that can be seen. */
const BEFORE_OWN_ID = 'external';

/**
 * Returns a request target in its canonical form: every segment decoded once, checked and encoded again, the query
 * unchanged; under `/api/` and behind a portal link a slash at the end is dropped. Only a tenant's own id may have separators in it, encoded. The gateway routes and forwards only this form, so it and a service cannot read one path in two ways.
 * @throws Problem 400 for an absolute URL, an empty or dot segment, an encoded separator, a control character, text that is not UTF-8, or more than 4,096 characters before the query
 */
export function canonicalTarget(target: string): string {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark);
  if (!path.startsWith('/') || query.includes('#')) throw malformed();
  // Whoever reads it later would replace what is not UTF-8.
  decode(query);
  if (path.length <= MAX_PATH_LENGTH && PLAIN.test(path)) return target;
  const segments = path
    .replace(/^(\/(?:api|portal)\/.*[^/])\/$/, '$1')
    .slice(1)
    .split('/');
  const canonical = `/${segments.map((segment, index) => canonicalSegment(segment, { isLast: index === segments.length - 1, isOwnId: segments[index - 1] === BEFORE_OWN_ID })).join('/')}`;
  if (canonical.length > MAX_PATH_LENGTH) throw malformed();
  return canonical + query;
}

function canonicalSegment(segment: string, { isLast, isOwnId }: { isLast: boolean; isOwnId: boolean }): string {
  if (segment === '' && isLast) return '';
  const decoded = decode(segment);
  const forbidden = isOwnId ? CONTROL : FORBIDDEN;
  if (decoded === '' || decoded === '.' || decoded === '..' || forbidden.test(decoded)) throw malformed();
  return encodeURIComponent(decoded);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

const malformed = () =>
  invalid([
    { path: '', message: 'The path of the request is not well-formed, or it is longer than 4,096 characters.' },
  ]);
