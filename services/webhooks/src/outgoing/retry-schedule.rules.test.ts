import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { afterFailure, holdsLaterOnes, MAX_ATTEMPTS, nextAttemptAt, readRetryAfter } from './retry-schedule.rules.ts';

afterEach(() => vi.unstubAllEnvs());

const HOUR_MS = 3_600_000;
const at = new Date('2026-03-02T09:30:00.000Z');
const pauseMs = (failures: number, random = 0.5, retryAfterMs?: number): number => {
  const next = nextAttemptAt({ failures, at, random, retryAfterMs });
  return next ? next.getTime() - at.getTime() : NaN;
};

it('tries ten times within 76 hours', () => {
  expect(MAX_ATTEMPTS).toBe(10);
  const pauses = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => pauseMs(index + 1));
  expect(pauses.slice(0, 3)).toEqual([5_000, 300_000, 1_800_000]);
  const total = pauses.reduce((sum, pause) => sum + pause, 0);
  expect(total).toBeGreaterThan(75 * HOUR_MS);
  expect(total).toBeLessThan(76 * HOUR_MS);
  expect(nextAttemptAt({ failures: MAX_ATTEMPTS, at, random: 0 })).toBeNull();
});

it('waits a tenth more or less, and longer if the receiver requests it, up to a day', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: MAX_ATTEMPTS - 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 48 * HOUR_MS }),
      (failures, random, wantedMs) => {
        const [middle, jittered] = [pauseMs(failures), pauseMs(failures, random)];
        expect(Math.abs(jittered - middle)).toBeLessThanOrEqual(middle * 0.1 + 1);
        const pause = pauseMs(failures, random, wantedMs);
        expect(pause).toBeGreaterThanOrEqual(jittered);
        expect(Math.abs(pause - Math.max(jittered, Math.min(wantedMs, 24 * HOUR_MS)))).toBeLessThan(2);
      },
    ),
    { numRuns: runs(1_000) },
  );
});

it('leaves the schedule as it is after an attempt that does not count', () => {
  const failure = { failures: 4, plannedAt: null, at, random: 0.5 };
  expect(afterFailure({ ...failure, isCounted: true })).toEqual({
    failures: 5,
    nextAttemptAt: new Date(+at + 5 * HOUR_MS),
  });
  const later = new Date(+at + 9 * HOUR_MS);
  const uncounted = { ...failure, isCounted: false };
  expect(afterFailure({ ...uncounted, plannedAt: later })).toEqual({ failures: 4, nextAttemptAt: later });
  expect(afterFailure({ ...uncounted, plannedAt: at })).toEqual({
    failures: 4,
    nextAttemptAt: new Date(+at + 2 * HOUR_MS),
  });
  expect(afterFailure({ ...uncounted, failures: 0 })).toEqual({ failures: 0, nextAttemptAt: new Date(+at + 5_000) });
  expect(afterFailure({ ...failure, failures: 9, isCounted: true }).nextAttemptAt).toBeNull();
});

it('holds later events of the object until the first two retries are over', () => {
  expect([0, 1, 2, 3].map(holdsLaterOnes)).toEqual([true, true, true, false]);
});

it('reads Retry-After in seconds and as a date, in any form and wherever this machine is', () => {
  vi.stubEnv('TZ', 'America/New_York');
  expect(readRetryAfter('120', at)).toBe(120_000);
  expect(readRetryAfter('99999999999', at)).toBe(99_999_999_999_000);
  for (const date of ['Mon, 02 Mar 2026 09:31:00 GMT', 'Monday, 02-Mar-26 09:31:00 GMT', 'Mon Mar  2 09:31:00 2026'])
    expect(readRetryAfter(date, at)).toBe(60_000);
  expect(readRetryAfter('Mon, 02 Mar 2026 09:29:00 GMT', at)).toBe(0);
  for (const header of [undefined, '', '-5', '1e9', 'soon']) expect(readRetryAfter(header, at)).toBeUndefined();
});
