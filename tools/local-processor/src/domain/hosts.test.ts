import { expect, it } from 'vitest';
import { isKnownHost, mayPostTo } from './hosts.ts';

it.each([
  ['localhost:12111', true],
  ['127.0.0.1', true],
  ['127.9.9.9:80', true],
  ['[::1]:12111', true],
  ['processor:12111', true],
  ['evil.example:12111', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['192.168.1.2', false],
  ['localhost@evil.example', false],
  ['', false],
  [undefined, false],
])('knows the host %s: %s', (header, expected) => {
  expect(isKnownHost(header, ['processor'])).toBe(expected);
});

it.each([
  ['http://localhost:8080/api/webhooks', true],
  ['http://127.0.0.1/x', true],
  ['http://[::1]:1/x', true],
  ['https://billing.example.com/x', true],
  ['http://billing.example.com/x', false],
  ['https://billing.example.com:8443/x', false],
  ['http://169.254.169.254/latest', false],
  ['http://10.0.0.1/x', false],
])('posts to %s: %s', (url, expected) => {
  expect(mayPostTo(new URL(url), ['https://billing.example.com/'])).toBe(expected);
});

it('posts anywhere when told so', () => {
  expect(mayPostTo(new URL('http://10.0.0.1/x'), ['*'])).toBe(true);
});
