import { expect, it } from 'vitest';
import { successRate } from './success-rate.ts';

const delivery = (status: 'succeeded' | 'pending' | 'failed' | 'canceled', attempts = 1) => ({ status, attempts });
const arrived = (count: number) => Array.from({ length: count }, () => delivery('succeeded'));

it('counts what waits for another attempt as not arrived', () => {
  expect(successRate([...arrived(1), delivery('pending'), delivery('failed', 10), delivery('succeeded', 3)])).toEqual({
    percent: 50,
    tried: 4,
  });
});

it('leaves out what was never tried, and what was canceled', () => {
  expect(successRate([delivery('pending', 0), delivery('canceled')])).toBeUndefined();
  expect(successRate([delivery('pending', 0), ...arrived(1)])).toEqual({ percent: 100, tried: 1 });
});

it('does not call one failure among many a full success', () => {
  expect(successRate([...arrived(999), delivery('failed')])?.percent).toBe(99);
});
