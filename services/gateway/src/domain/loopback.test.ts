import { expect, it } from 'vitest';
import { isLocalUrl, isLoopback } from './loopback.ts';

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
