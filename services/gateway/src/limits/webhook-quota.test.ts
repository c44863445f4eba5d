import type { GatewayResponse } from '#http/request-context.ts';
import { expect, it } from 'vitest';
import { sharedLimit, type PointStore } from './shared-limit.ts';
import { webhookQuota } from './webhook-quota.ts';

const MIB = 1_048_576;

/** Starts a quota of 5 events and 4 MiB, and counts the requests to the store. */
function startQuota() {
  let [events, kibibytes, calls] = [0, 0, 0];
  const endsAt = Date.now() + 3_600_000;
  const storeOf = (add: (points: number) => number): PointStore => ({
    add: async (_key, points) => ((calls += 1), { total: add(points), endsAt }),
  });
  const quota = webhookQuota({
    webhookEvents: sharedLimit({ store: storeOf(points => (events += points)), limit: 5 }),
    webhookBytes: sharedLimit({ store: storeOf(points => (kibibytes += points)), limit: 4 * 1_024 }),
  });
  const response = { get: () => undefined, set: () => undefined, locals: {} } as unknown as GatewayResponse; // only headers are used
  return {
    reserve: (bytes: number) => quota.reserve('team', bytes, response),
    check: (bytes: number) => quota.check('team', bytes, response),
    calls: () => calls,
  };
}

it('allows so many events, counting those in flight', async () => {
  const { reserve } = startQuota();
  const settle = Array.from({ length: 5 }, () => reserve(1));
  expect(() => reserve(1)).toThrow('Too many requests');
  for (const done of settle) await done(true);
  expect(() => reserve(1)).toThrow('Too many requests');
});

it('allows so many bytes, and smaller events as long as they fit', async () => {
  const { reserve, check } = startQuota();
  await reserve(3 * MIB)(true);
  expect(() => check(2 * MIB)).toThrow('Too many requests');
  await reserve(MIB)(true);
  expect(() => check(1)).toThrow('Too many requests');
});

it('counts nothing for events that are not stored, and requests no points for them', async () => {
  const { reserve, calls } = startQuota();
  for (let index = 0; index < 100; index += 1) await reserve(MIB)(false);
  expect(calls()).toBe(0);
  await reserve(4 * MIB)(true);
});
