import fc from 'fast-check';
import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import { addressGroup, clientAddress, isLocalUrl, isLoopback, parseAddress } from './addresses.ts';

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::ffff', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('counts %s as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['[203.0.113.7]:4711', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
])('reads %j as the address %s', (text, address) => {
  expect(parseAddress(text)).toBe(address);
});

it.each([
  '',
  'unknown',
  '203.0.113.7%eth0',
  '203.0.113',
  '203.0.113.07',
  '0xcb007107',
  '203.0.113.7/8',
  '[::1',
  '::1]',
])('takes %j for no address', text => {
  expect(parseAddress(text)).toBeUndefined();
});

const isPrivate = (address: string) => address.startsWith('10.');

it.each([
  // A proxy names who connected to it; what stands before that may be invented.
  ['10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['::ffff:10.0.0.1', '198.51.100.9, 203.0.113.7', '203.0.113.7'],
  ['10.0.0.1', '198.51.100.9,, [2001:db8::1]:443 , ::ffff:10.0.0.2', '2001:db8::1'],
  ['10.0.0.1', '10.0.0.3, 10.0.0.2:80', '10.0.0.3'],
  // Nobody else may name anyone.
  ['203.0.113.7', '198.51.100.9', '203.0.113.7'],
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['10.0.0.1', '198.51.100.9, <script>', '10.0.0.1'],
  ['10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.1'],
])('takes a request of %s, forwarded for %j, as one of %s', (peer, forwardedFor, address) => {
  expect(clientAddress({ peer, forwardedFor }, isPrivate)).toBe(address);
});

it('counts a number of proxies', () => {
  const route = { peer: '203.0.113.1', forwardedFor: '198.51.100.9, 203.0.113.7' };
  expect([0, 1, 2, 3].map(proxies => clientAddress(route, (_address, hop) => hop < proxies))).toEqual([
    '203.0.113.1',
    '203.0.113.7',
    '198.51.100.9',
    '198.51.100.9',
  ]);
});

it('finds an address in its one spelling, whatever a header says', () => {
  const entry = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('[', ']', '%'),
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), fc.nat(5), (entries, proxies) => {
      const forwardedFor = entries.join(',');
      const found = clientAddress({ peer: '10.0.0.1', forwardedFor }, (_address, hop) => hop < proxies);
      expect(isIP(found)).not.toBe(0);
      expect(parseAddress(found)).toBe(found);
      expect(addressGroup(found)).not.toContain('%');
    }),
  );
});

it('knows the addresses of its own machine', () => {
  expect(['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1'].map(isLoopback)).toEqual([true, true, true, true]);
  expect(['10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', '', 'localhost'].some(isLoopback)).toBe(false);
});

it('knows the URLs that only its own machine reaches', () => {
  expect(['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:8080'].map(isLocalUrl)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['https://billing.example.com', 'http://localhost.example.com', 'http://10.0.0.1'].some(isLocalUrl)).toBe(
    false,
  );
});
