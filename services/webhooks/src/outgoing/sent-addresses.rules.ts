import { BlockList, isIP, isIPv6 } from 'node:net';

/** An IPv4 address inside of an IPv6 one counts as itself, whatever its range says. */
type Subnet = readonly [address: string, bits: number];

/** Everything but global unicast. https://www.iana.org/assignments/iana-ipv4-special-registry */
const FORBIDDEN_V4: readonly Subnet[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/** What global unicast (2000::/3) has for other purposes. https://www.iana.org/assignments/iana-ipv6-special-registry */
const FORBIDDEN_V6: readonly Subnet[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
];

const forbidden = new BlockList();
for (const [address, bits] of FORBIDDEN_V4) forbidden.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of FORBIDDEN_V6) forbidden.addSubnet(address, bits, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Returns whether an address is one of the public internet; false for what is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return globalUnicast.check(address, 'ipv6') && !forbidden.check(address, 'ipv6');
  return isIP(address) === 4 && !forbidden.check(address, 'ipv4');
}
