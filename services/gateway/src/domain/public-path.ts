import { invalid } from '@billing/contracts/problem';

/** What no segment may hold once decoded: separators of another layer, control characters, and `%` (decoded twice). */
// eslint-disable-next-line no-control-regex -- control characters are what must be refused
const REFUSED = /[/\\;%#?\u0000-\u001f\u007f]/;

/**
 * The one spelling of a request's path and query that is routed and sent on: every segment decoded once, checked and
 * encoded again, so that the gateway and a service cannot read one path in two ways.
 * `target` is the request line's; an absolute URL, an empty or dotted segment, an encoded separator or a control
 * character is refused.
 * @throws Problem 400
 */
export function canonicalTarget(target: string): string {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark);
  if (!path.startsWith('/') || query.includes('#')) throw malformed();
  const segments = path.slice(1).split('/');
  return `/${segments.map((segment, index) => canonicalSegment(segment, index === segments.length - 1)).join('/')}${query}`;
}

function canonicalSegment(segment: string, isLast: boolean): string {
  // A path that ends in a slash is well-formed, though no route has one.
  if (segment === '' && isLast) return '';
  const decoded = decode(segment);
  if (decoded === '' || decoded === '.' || decoded === '..' || REFUSED.test(decoded)) throw malformed();
  return encodeURIComponent(decoded);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw malformed();
  }
}

const malformed = () => invalid([{ path: '', message: 'The path of the request is not well-formed.' }]);
