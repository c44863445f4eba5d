import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * Groups addresses for rate limits: an IPv4 address stands alone, an IPv6 address counts as its /64, because a
 * subscriber gets at least that many addresses (https://www.rfc-editor.org/rfc/rfc6177).
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%', 1);
  return isIPv6(plain) ? `${groups(plain).slice(0, 4).join(':')}::/64` : address;
}

/** Returns the eight groups of an IPv6 address, in lower case and without leading zeros. */
function groups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].map(group => group.toLowerCase().replace(/^0+(?=.)/, ''));
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Returns whether a request from this peer comes from the same machine. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Returns whether an address of this installation is reachable from its own machine only. */
export function isLocalUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
