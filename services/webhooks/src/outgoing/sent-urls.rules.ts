import { BlockList, isIP } from 'node:net';
import { isPublicAddress } from './sent-addresses.rules.ts';

/** Why an endpoint's URL cannot be used; the API says it as `details.reason`. */
export type UrlRefusal = 'too_long' | 'not_https' | 'user_info' | 'port' | 'address_not_allowed';

/** What the operator has opened beside the public internet: a network or one host, on one port or on all. */
interface AllowedTarget {
  /** In lower case; null for a network. */
  readonly host: string | null;
  /** Null for a name. */
  readonly network: BlockList | null;
  /** Null for every port. */
  readonly port: number | null;
}

/** Which targets requests may be sent to. */
export interface AllowedTargets {
  readonly targets: readonly AllowedTarget[];
  /** Ports of this installation, to which nothing opens a way on any address that is not public but `host:port`. */
  readonly ownPorts: ReadonlySet<number>;
}

const MAX_URL = 2_048;
const HTTPS_PORT = 443;
const FIRST_FREE_PORT = 1_024;
const HOST_NAME = /^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/;
/** The bits of a whole address. */
const WHOLE = { ipv4: 32, ipv6: 128 };

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
  const network = isIP(host) === 0 ? null : new BlockList();
  try {
    network?.addSubnet(host, Number(bits ?? WHOLE[familyOf(host)]), familyOf(host));
    if (!network && (bits !== undefined || !HOST_NAME.test(host))) throw new Error('no host');
    return { host: bits === undefined ? host : null, network, port: port === undefined ? null : Number(port) };
  } catch (cause) {
    throw new Error(`"${entry}" is neither a network such as 10.0.0.0/8 nor a host such as hooks.internal:8080.`, {
      cause,
    });
  }
}

/** Returns whether the operator has opened a host by its name. */
export const isOpenedHost = (host: string, { targets }: AllowedTargets): boolean =>
  targets.some(target => target.host === host.toLowerCase());

/** Returns why a URL cannot be used, as far as it says itself; what its name leads to is checked at each connection. */
export function refusalOf(url: URL, allowed: AllowedTargets): UrlRefusal | null {
  if (url.href.length > MAX_URL) return 'too_long';
  if (url.username !== '' || url.password !== '') return 'user_info';
  const port = portOf(url);
  const host = hostOf(url);
  if (isIP(host) !== 0) return refusalOfAddresses(url, [host], allowed);
  // A name may lead into any network that is opened.
  const isOpenedTo = allowed.targets.some(target => (target.host === host || target.network) && fits(target, port));
  return isOpenedTo ? null : publicRefusalOf(url);
}

/**
 * Returns why a URL cannot be used whose host has these addresses. A name that has none yet may get any, so that it is judged
 * as one of the public internet, unless the operator has opened the name itself.
 */
export function refusalOfAddresses(url: URL, addresses: readonly string[], allowed: AllowedTargets): UrlRefusal | null {
  if (addresses.some(address => isAllowedAddress(url, address, allowed))) return null;
  const isName = addresses.length === 0;
  if (isName && allowed.targets.some(target => target.host === hostOf(url) && fits(target, portOf(url)))) return null;
  const isPublic = isName || addresses.some(isPublicAddress);
  return (isPublic ? publicRefusalOf(url) : null) ?? (isName ? null : 'address_not_allowed');
}

function publicRefusalOf(url: URL): UrlRefusal | null {
  if (url.protocol !== 'https:') return 'not_https';
  const port = portOf(url);
  return port === HTTPS_PORT || port >= FIRST_FREE_PORT ? null : 'port';
}

/**
 * Returns whether a request to the URL may be sent to an address that its host leads to: one of the public internet by https,
 * or one that the operator has opened. Link-local addresses and ports of this installation are opened by `host:port` only.
 */
export function isAllowedAddress(url: URL, address: string, { targets, ownPorts }: AllowedTargets): boolean {
  if (isPublicAddress(address) && publicRefusalOf(url) === null) return true;
  const isClosed =
    linkLocal.check(address, familyOf(address)) || (!isPublicAddress(address) && ownPorts.has(portOf(url)));
  if (isClosed) return targets.some(({ host, port }) => host === hostOf(url) && port === portOf(url));
  return isOpened(url, address, targets);
}

const isOpened = (url: URL, address: string, targets: readonly AllowedTarget[]): boolean =>
  (url.protocol === 'https:' || url.protocol === 'http:') &&
  targets.some(
    target =>
      fits(target, portOf(url)) && (target.host === hostOf(url) || target.network?.check(address, familyOf(address))),
  );

const fits = ({ port }: AllowedTarget, wanted: number): boolean => port === null || port === wanted;

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The host without brackets, as `URL` has made it: every spelling of an IPv4 address is the dotted one. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** The port that a request goes to. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? HTTPS_PORT : 80));
