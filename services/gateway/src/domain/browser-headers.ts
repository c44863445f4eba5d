import { Problem } from '@billing/contracts/problem';

/** The headers in which a browser names the site that sent a request. */
interface SiteHeaders {
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

/** What a browser says of its own page's requests, and of addresses that a person typed. */
const OWN_SITES: readonly unknown[] = ['same-origin', 'none', undefined];

/**
 * Returns whether a page of another origin made a browser send this request; one of a sibling domain counts as well.
 * Clients other than browsers send neither header, so their requests are never cross-site. `publicOrigin` is the
 * gateway's own. https://www.w3.org/TR/fetch-metadata/
 */
export function isCrossSite(headers: SiteHeaders, publicOrigin: string): boolean {
  if (headers.origin !== undefined && headers.origin !== publicOrigin) return true;
  return !OWN_SITES.includes(headers['sec-fetch-site']);
}

/**
 * 403 for what a page of another origin sent. It names the gateway's own, for a person who opened the console by another name
 * of the same machine.
 */
export const crossSite = (publicOrigin: string): Problem =>
  new Problem(
    'forbidden',
    'forbidden',
    `Pages are accepted at ${publicOrigin} only: open that address, or have the operator set PUBLIC_URL to the one you use.`,
    { details: { origin: publicOrigin } },
  );

/**
 * Returns the first part of the names of the gateway's cookies. Browsers keep cookies of a host whatever its port, so the
 * name tells two installations on one host apart; with https the cookie belongs to this host alone.
 */
export function cookiePrefixOf(publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl);
  return `${protocol === 'https:' ? '__Host-' : ''}billing${port && `-${port}`}`;
}

/** Returns the pair `name=value` of one cookie in a `Cookie` header; undefined when it is absent. */
export function findCookie(name: string, header: string | undefined): string | undefined {
  return header?.split(/; */).find(pair => pair.startsWith(`${name}=`));
}
