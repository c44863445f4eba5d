import { TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { openPacer, pacedProcessors } from './pacing.ts';
import { stripeProcessor } from './stripe-processor.ts';

it('makes each call wait for the pace of its team', async () => {
  const [one, other] = [TeamId.create(), TeamId.create()];
  const processor = { ...stripeProcessor('sk_test_1'), readClock: async () => new Date(0) };
  const waits: string[] = [];
  const paced = pacedProcessors({ of: async () => processor }, teamId => async () => void waits.push(teamId));
  const [first, second] = [await paced.of(one), await paced.of(other)];
  expect(waits).toEqual([]);
  expect(await first.readClock()).toEqual(new Date(0));
  await second.readClock();
  await first.readClock();
  expect(waits).toEqual([one, other, one]);
});

it('spaces requests that are made at the same time', async () => {
  const pace = openPacer(200);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 11 }, pace));
  // A timer may fire a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThan(45);
});
