import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, it } from 'vitest';
import { isPublicAddress } from './sent-addresses.rules.ts';

/** What IANA has reserved and ipaddr.js takes for unicast, or does not know. */
const STRICTER = ['192.88.99.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24', '3fff::/20'];

const isStricter = (address: string): boolean => {
  const parsed = ipaddr.parse(address);
  return STRICTER.map(range => ipaddr.parseCIDR(range)).some(
    ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
  );
};

/** An address near a border of one of the special ranges. */
const special = fc
  .constantFrom(
    ...'0 10 100.64 127 169.254 172.16 192.0.0 192.0.2 192.168 198.18 198.51.100 203.0.113 224 240 255.255.255'.split(
      ' ',
    ),
  )
  .chain(start =>
    fc
      .array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 })
      .map(rest => [...start.split('.'), ...rest].slice(0, 4).join('.')),
  );

it('takes what ipaddr.js takes for unicast, and nothing else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), special, fc.ipV6()), address => {
      const isUnicast = ipaddr.parse(address).range() === 'unicast';
      expect(isPublicAddress(address)).toBe(isUnicast && !isStricter(address) && isGlobal(address));
    }),
    { numRuns: runs(20_000) },
  );
});

/** ipaddr.js takes all of IPv6 that has no other name for unicast; IANA has given out 2000::/3 only. */
function isGlobal(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parse('2000::'), 3);
}

const NOT_PUBLIC =
  ':: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001::1 2001:db8::1 fc00::1 fd00::1 fe80::1 fec0::1 ff02::1 100::1 255.255.255.255';
const NO_ADDRESSES = ['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '10.0.0.1/8', '[::1]', '8.8.8.8 '];

it.each(NOT_PUBLIC.split(' ').concat(NO_ADDRESSES))('does not take %j', address => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(['8.8.8.8', '100.63.255.255', '172.15.255.255', '172.32.0.0', '2606:4700:4700::1111', '2a00:1450::1'])(
  'takes %s',
  address => expect(isPublicAddress(address)).toBe(true),
);
