/** The headers in which a browser names the site that sent a request. */
interface SiteHeaders {
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

/**
 * Returns whether a page of another site made a browser send this request. Clients other than browsers send neither
 * header, so their requests are never cross-site. `publicOrigin` is the gateway's own.
 */
export function isCrossSite(headers: SiteHeaders, publicOrigin: string): boolean {
  if (headers.origin !== undefined && headers.origin !== publicOrigin) return true;
  return headers['sec-fetch-site'] === 'cross-site';
}

/** Returns the pair `name=value` of one cookie in a `Cookie` header; undefined when it is absent. */
export function findCookie(name: string, header: string | undefined): string | undefined {
  return header?.split(/; */).find(pair => pair.startsWith(`${name}=`));
}
