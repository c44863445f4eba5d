import { expect, it } from 'vitest';
import { addressGroup, isLocalUrl, isLoopback } from './addresses.ts';

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
