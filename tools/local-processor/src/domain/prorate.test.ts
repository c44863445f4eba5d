import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prorate, roundedQuotient } from './prorate.ts';

const at = (time: string) => Date.parse(time) / 1000;
const april = { start: at('2026-04-01T00:00:00Z'), end: at('2026-05-01T00:00:00Z') };
const march = { start: at('2026-03-01T00:00:00Z'), end: at('2026-04-01T00:00:00Z') };
const documented = { start: 1_596_749_288, end: 1_599_427_688 };
const ninth = at('2026-04-13T09:17:31Z');

test.each([
  [1_000, documented, 1_598_982_148, 166],
  [3_252, documented, 1_598_982_148, 541],
  [6_000, april, ninth, 3_523],
  [9_600, april, ninth, 5_636],
  [3_600, april, ninth, 2_114],
  [2_999, march, at('2026-03-21T00:00:00Z'), 1_064],
])('of %i, in %o, what is left at %i is %i', (amount, period, moment, left) => {
  expect(prorate(amount, period, moment)).toBe(left);
  expect(prorate(-amount, period, moment)).toBe(0 - left);
});

test('all is left before a period, and nothing after it', () => {
  expect([prorate(999, april, april.start - 1), prorate(999, april, april.start)]).toEqual([999, 999]);
  expect([prorate(999, april, april.end), prorate(999, april, april.end + 1)]).toEqual([0, 0]);
});

test('large amounts over long periods stay exact, and never grow as time passes', () => {
  const moments = fc.tuple(fc.integer({ min: 0, max: 10 ** 8 }), fc.integer({ min: 0, max: 10 ** 8 }));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), moments, (amount, [first, second]) => {
      const period = { start: 0, end: 10 ** 8 };
      const [early, late] = [Math.min(first, second), Math.max(first, second)];
      expect(prorate(amount, period, late)).toBeLessThanOrEqual(prorate(amount, period, early));
      expect(prorate(amount, period, early)).toBe(
        roundedQuotient(BigInt(amount) * BigInt(period.end - early), BigInt(period.end)),
      );
    }),
  );
});

test('a half is rounded up', () => {
  expect([roundedQuotient(1n, 2n), roundedQuotient(3n, 2n), roundedQuotient(1n, 3n)]).toEqual([1, 2, 0]);
});
