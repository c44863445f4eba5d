import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** Whether an address, so many hops before the gateway, is a proxy whose `X-Forwarded-For` counts; 0 is the connection's own. */
export type IsTrustedProxy = (address: string, hop: number) => boolean;

/** The addresses that a request came by. */
interface Route {
  /** Of the connection. */
  readonly peer: string;
  readonly forwardedFor: string | undefined;
}

/**
 * Returns the address of the caller: of the nearest hop that is no trusted proxy, or of the farthest one. If a proxy names
 * something else than an address there, that of the connection.
 */
export function clientAddress({ peer, forwardedFor = '' }: Route, isTrusted: IsTrustedProxy): string {
  const connection = parseAddress(peer) ?? peer;
  const entries = forwardedFor.split(',').map(entry => entry.trim());
  const named = entries.filter(entry => entry !== '').toReversed();
  let address = connection;
  for (const [hop, entry] of named.entries()) {
    if (!isTrusted(address, hop)) break;
    const parsed = parseAddress(entry);
    if (parsed === undefined) return connection;
    address = parsed;
  }
  return address;
}

const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/;
const WITH_PORT = /^([\d.]+):\d{1,5}$/;

/**
 * Returns the one spelling of an address, without port, brackets and zone: IPv6 in lower case and short, IPv4 in IPv6
 * (https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5.2) as IPv4. Undefined for anything else.
 */
export function parseAddress(text: string): string | undefined {
  const [, inside = text] = BRACKETED.exec(text) ?? WITH_PORT.exec(text) ?? [];
  const [address = ''] = inside.split('%', 1);
  if (isIPv4(address)) return inside === address ? address : undefined;
  if (!isIPv6(address)) return undefined;
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  return [high, low].flatMap(part => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.');
}

/**
 * Groups addresses for rate limits: an IPv4 address stands alone, an IPv6 address counts as its /64, because a
 * subscriber gets at least that many addresses (https://www.rfc-editor.org/rfc/rfc6177).
 */
export function addressGroup(text: string): string {
  const address = parseAddress(text) ?? text;
  return isIPv6(address) ? `${groups(address).slice(0, 4).join(':')}::/64` : address;
}

/** Returns the eight groups of an IPv6 address in its one spelling. */
function groups(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const [left, right] = [head, tail].map(part => part.split(':').filter(group => group !== ''));
  if (!left || !right) throw new Error('An address has two sides.');
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
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
