import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stack, ticksBetween } from './chart-scale.ts';

it.each([
  [0, 100, [0, 50, 100]],
  [-18_000, 46_000, [-20_000, 0, 20_000, 40_000, 60_000]],
  [0, 3, [0, 1, 2, 3]],
  [0, 90_860, [0, 50_000, 100_000]],
])('has round numbers from %i to %i', (low, high, ticks) => {
  expect(ticksBetween(low, high)).toEqual(ticks);
});

it('covers any amounts by whole ones at equal distances, among them zero, and few', () => {
  const amount = fc.integer({ min: 0, max: 10_000_000_000 });
  fc.assert(
    fc.property(amount, amount, (below, above) => {
      fc.pre(below + above > 0);
      const ticks = ticksBetween(-below, above);
      const [first = 0, second = 0] = ticks;
      expect(ticks).toContain(0);
      expect(ticks.every((tick, index) => tick === first + index * (second - first))).toBe(true);
      expect(first).toBeLessThanOrEqual(-below);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(above);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }),
  );
});

it('stacks gains above zero and losses below it', () => {
  expect(
    stack([
      ['new', 5],
      ['lost', -2],
      ['none', 0],
      ['more', 3],
      ['churned', -4],
    ]),
  ).toEqual([
    { key: 'new', from: 0, to: 5 },
    { key: 'lost', from: 0, to: -2 },
    { key: 'more', from: 5, to: 8 },
    { key: 'churned', from: -2, to: -6 },
  ]);
});
