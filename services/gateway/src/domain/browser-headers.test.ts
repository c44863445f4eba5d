import { expect, it } from 'vitest';
import { findCookie, isCrossSite } from './browser-headers.ts';

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
