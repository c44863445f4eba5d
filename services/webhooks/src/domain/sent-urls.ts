import { BlockList, isIP } from 'node:net';
import { isPublicAddress } from './sent-addresses.ts';

/** Why an endpoint's URL cannot be used; the API says it as `details.reason`. */
export type UrlRefusal = 'too_long' | 'not_https' | 'user_info' | 'port' | 'address_not_allowed';

/** What the operator has opened beside the public internet: a network or one host, on one port or on all. */
interface AllowedTarget {
  /** In lower case; null for a network. */
  readonly host: string | null;
  readonly network: BlockList;
  /** Null for every port. */
  readonly port: number | null;
}

/** Which targets requests may be sent to. */
export interface AllowedTargets {
  readonly targets: readonly AllowedTarget[];
  /** Ports of this installation, which no network opens. */
  readonly ownPorts: ReadonlySet<number>;
}

const MAX_URL = 2_048;
const HTTPS_PORT = 443;
const FIRST_FREE_PORT = 1_024;
const HOST_NAME = /^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/;
/** The bits of a whole address. */
const WHOLE = { ipv4: 32, ipv6: 128 };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');

/**
 * Reads `10.0.0.0/8,hooks.internal:8080,[::1]:9000`: networks in CIDR and hosts, each with or without a port.
 * @throws Error naming the entry that is neither
 */
export function parseAllowedTargets(text: string): readonly AllowedTarget[] {
  const entries = text.split(',').map(entry => entry.trim().toLowerCase());
  return entries.filter(entry => entry !== '').map(parseTarget);
}

function parseTarget(entry: string): AllowedTarget {
  const match = /^(?:\[([^\]]+)\]|([\da-f]*:[\da-f:.]*)|([^:/[\]]+))(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/.exec(entry);
  const [, inBrackets, bare, name, bits, port] = match ?? [];
  const host = inBrackets ?? bare ?? name ?? '';
  const network = new BlockList();
  const target = { host: bits === undefined ? host : null, network, port: port === undefined ? null : Number(port) };
  try {
    if (isIP(host) !== 0) network.addSubnet(host, Number(bits ?? WHOLE[familyOf(host)]), familyOf(host));
    else if (bits !== undefined || !HOST_NAME.test(host)) throw new Error('no host');
    return target;
  } catch (cause) {
    throw new Error(`"${entry}" is neither a network such as 10.0.0.0/8 nor a host such as hooks.internal:8080.`, {
      cause,
    });
  }
}

/** Returns why a URL cannot be used, as far as it says itself; what its name leads to is checked at each connection. */
export function refusalOf(url: URL, allowed: AllowedTargets): UrlRefusal | null {
  if (url.href.length > MAX_URL) return 'too_long';
  if (url.username !== '' || url.password !== '') return 'user_info';
  const port = portOf(url);
  const host = hostOf(url);
  const isOpened = allowed.targets.some(target => target.host === host && fits(target, port));
  if (isIP(host) !== 0) {
    if (!isAllowedAddress(url, host, allowed)) return 'address_not_allowed';
    return isPublicAddress(host) ? publicRefusalOf(url, port) : null;
  }
  return isOpened ? null : publicRefusalOf(url, port);
}

function publicRefusalOf({ protocol }: URL, port: number): UrlRefusal | null {
  if (protocol !== 'https:') return 'not_https';
  return port === HTTPS_PORT || port >= FIRST_FREE_PORT ? null : 'port';
}

/**
 * Returns whether a request to the URL may be sent to an address that its host leads to: one of the public internet by https,
 * or one that the operator has opened. Link-local addresses and ports of this installation are opened by `host:port` only.
 */
export function isAllowedAddress(url: URL, address: string, { targets, ownPorts }: AllowedTargets): boolean {
  if (isPublicAddress(address)) return url.protocol === 'https:' || isOpened(url, address, targets);
  const isOwn = loopback.check(address, familyOf(address)) && ownPorts.has(portOf(url));
  if (isOwn || linkLocal.check(address, familyOf(address)))
    return targets.some(({ host, port }) => host === hostOf(url) && port === portOf(url));
  return isOpened(url, address, targets);
}

const isOpened = (url: URL, address: string, targets: readonly AllowedTarget[]): boolean =>
  targets.some(
    target =>
      fits(target, portOf(url)) && (target.host === hostOf(url) || target.network.check(address, familyOf(address))),
  );

const fits = ({ port }: AllowedTarget, wanted: number): boolean => port === null || port === wanted;

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The host without brackets, as `URL` has made it: every spelling of an IPv4 address is the dotted one. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** The port that a request goes to. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? HTTPS_PORT : 80));
