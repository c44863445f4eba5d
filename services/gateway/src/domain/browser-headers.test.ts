import { expect, it } from 'vitest';
import { cookiePrefixOf, crossSite, findCookie, isCrossSite } from './browser-headers.ts';

it.each([
  [{}, false],
  [{ origin: 'https://billing.example' }, false],
  [{ origin: 'https://billing.example', 'sec-fetch-site': 'same-origin' }, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{ 'sec-fetch-site': 'cross-site' }, true],
  [{ 'sec-fetch-site': 'same-site' }, true],
  [{ 'sec-fetch-site': 'same-origin, cross-site' }, true],
  [{ 'sec-fetch-site': '' }, true],
  [{ origin: 'https://billing.example', 'sec-fetch-site': 'cross-site' }, true],
  [{ origin: 'https://evil.example' }, true],
  [{ origin: 'http://billing.example' }, true],
  [{ origin: 'https://billing.example.evil.example' }, true],
  [{ origin: 'null' }, true],
  [{ origin: '' }, true],
])('%j is cross-site: %s', (headers, expected) => {
  expect(isCrossSite(headers, 'https://billing.example')).toBe(expected);
});

it.each([
  [undefined, undefined],
  ['b=1', undefined],
  ['ab=1; a=2; c=3', 'a=2'],
])('finds the cookie a in %j', (header, expected) => {
  expect(findCookie('a', header)).toBe(expected);
});

it('names the address at which a page is accepted', () => {
  const { status, code, message } = crossSite('http://localhost:8080');
  expect({ status, code }).toEqual({ status: 403, code: 'forbidden' });
  expect(message).toContain('open that address, or have the operator set PUBLIC_URL');
  expect(message).toContain('http://localhost:8080 ');
});

it('has other cookies for each installation on a host', () => {
  const addresses = ['http://host', 'http://host:8080', 'http://host:8081', 'https://host', 'https://host:8443'];
  expect(addresses.map(cookiePrefixOf)).toEqual([
    'billing',
    'billing-8080',
    'billing-8081',
    '__Host-billing',
    '__Host-billing-8443',
  ]);
});
