/** Returns whether a host name, as a parsed URL has it, is this machine. */
const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/**
 * Returns whether a `Host` header names this machine or one of `names`. A web page that points its own name to this machine
 * (DNS rebinding) could otherwise read and change everything here.
 */
export function isKnownHost(header: string | undefined, names: readonly string[]): boolean {
  const hostname = URL.parse(`http://${header}`)?.hostname;
  return hostname !== undefined && (isLoopback(hostname) || names.includes(hostname));
}

/** Returns whether webhooks may be posted to an address: one of this machine, of `origins`, or with `*` any. */
export function mayPostTo(url: URL, origins: readonly string[]): boolean {
  return isLoopback(url.hostname) || origins.some(it => it === '*' || URL.parse(it)?.origin === url.origin);
}
