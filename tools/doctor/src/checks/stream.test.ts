import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../finding.ts';
import { checkStream, type StreamReading } from './stream.ts';

const WEEK = 7 * 24 * 3_600_000;
const sound: StreamReading = {
  name: 'BILLING',
  discardsNew: true,
  isOnDisk: true,
  maxAgeMs: WEEK,
  bytes: 74,
  maxBytes: 100,
};

it.each([
  ['is as it was created', {}, []],
  ['keeps events forever', { maxAgeMs: 0 }, []],
  ['has no limit', { maxBytes: -1, bytes: 1e12 }, []],
  ['drops old events', { discardsNew: false }, ['stream-loses-events']],
  ['is in memory, and short', { isOnDisk: false, maxAgeMs: WEEK - 1 }, ['stream-loses-events', 'stream-loses-events']],
  ['is nearly full', { bytes: 75 }, ['stream-nearly-full']],
] as const)('examines a stream that %s', (_what, change, expected) => {
  expect(checkStream({ ...sound, ...change }, WEEK, DEFAULT_LIMITS).map(({ check }) => check)).toEqual(expected);
});
