/** The headers by which a browser says where a request comes from. */
export interface BrowserHeaders {
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

/**
 * Whether a page of another site had a browser send this request. What is no browser sends neither header and is
 * never cross-site. `publicOrigin` is our own.
 */
export function isCrossSite(headers: BrowserHeaders, publicOrigin: string): boolean {
  if (headers.origin !== undefined && headers.origin !== publicOrigin) return true;
  return headers['sec-fetch-site'] === 'cross-site';
}
