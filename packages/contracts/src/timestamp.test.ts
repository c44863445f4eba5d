import { expect, it } from 'vitest';
import { z } from 'zod';
import { givenTime } from './timestamp.ts';

it.each([
  ['2026-03-02T09:30:00Z', '2026-03-02T09:30:00.000Z'],
  ['2026-03-02T09:30:00+00:00', '2026-03-02T09:30:00.000Z'],
  ['2026-03-02T11:30:00.5+02:00', '2026-03-02T09:30:00.500Z'],
  ['2026-03-02T00:00:00-09:30', '2026-03-02T09:30:00.000Z'],
])('%s is taken for %s', (given, utc) => {
  expect(z.decode(givenTime, given).toISOString()).toBe(utc);
});

it.each([
  '2026-03-02',
  '2026-03-02T09:30:00',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00+00:00',
  '2026-03-02T09:30:00+25:00',
])('%s is no time', given => {
  expect(givenTime.safeDecode(given).success).toBe(false);
});
