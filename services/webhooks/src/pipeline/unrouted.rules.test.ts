import { expect, it } from 'vitest';
import { pauseAfter, ROUTING_PAUSES_MS } from './unrouted.rules.ts';

it('pauses longer after each attempt, and ends after the sixth', () => {
  expect([1, 2, 3, 4, 5, 6].map(attempt => pauseAfter(attempt, ROUTING_PAUSES_MS))).toEqual([
    1_000,
    5_000,
    30_000,
    120_000,
    600_000,
    null,
  ]);
});
