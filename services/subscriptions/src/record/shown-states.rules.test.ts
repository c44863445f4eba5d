import { SHOWN_BY, type ShownState } from '@billing/contracts/events/subscriptions';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inParts, MAX_WEIGHT, weightOf } from './shown-states.rules.ts';

const item = {
  unitAmount: 123_456,
  unitAmountDecimal: '123456.123456789012',
  billingScheme: 'per_unit' as const,
  currency: 'usd',
  interval: 'month' as const,
  intervalCount: 1,
  quantity: 1_000,
  transformQuantity: { divideBy: 1_000, round: 'down' as const },
  metered: false,
};

const state = (items: number): ShownState => ({
  status: 'incomplete_expired',
  hasTrial: false,
  items: Array.from({ length: items }, () => item),
  at: new Date(),
  by: SHOWN_BY.updated,
});

const weigh = (states: readonly ShownState[]) => states.reduce((sum, one) => sum + weightOf(one), 0);

it('divides states into as few parts in a row as messages can carry', () => {
  const states = fc.array(fc.oneof(fc.nat(20), fc.constantFrom(0, MAX_WEIGHT - 1, MAX_WEIGHT)).map(state));
  fc.assert(
    fc.property(states, all => {
      const parts = inParts(all);
      expect(parts.flat()).toEqual(all);
      const isTooLong = (part: readonly ShownState[]) => part.length > 1 && weigh(part) > MAX_WEIGHT;
      expect(parts.filter(isTooLong)).toEqual([]);
      const withNext = parts.slice(1).map((next, index) => [...(parts[index] ?? []), ...next.slice(0, 1)]);
      expect(withNext.filter(part => !isTooLong(part))).toEqual([]);
    }),
    { numRuns: runs(200) },
  );
  expect(inParts([])).toEqual([[]]);
});

it('lets no part be longer than half a megabyte', () => {
  for (const items of [0, 1, 20])
    for (const part of inParts(Array.from({ length: 2_000 }, () => state(items))))
      expect(JSON.stringify(part).length).toBeLessThan(524_288);
});
