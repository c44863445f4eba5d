import { SHOWN_BY } from '@billing/contracts/events/subscriptions';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addToHistory, type History, type Point } from './history.ts';

const point = fc
  .record({
    second: fc.integer({ min: 0, max: 9 }),
    by: fc.constantFrom(SHOWN_BY.created, SHOWN_BY.updated, SHOWN_BY.reading),
    status: fc.constantFrom('active' as const, 'past_due' as const),
    hasTrial: fc.boolean(),
  })
  .map(({ second, by, ...state }): Point => ({ at: new Date(second * 1_000), by, state: { ...state, items: [] } }));

const texts = (history: History) =>
  history.flatMap(({ shown, ...state }) => shown.map(time => JSON.stringify([state, time]))).toSorted();

it('has the same states at the same times for every order, grouping and repetition of points', () => {
  const given = fc.array(point, { minLength: 1, maxLength: 20 }).chain(points =>
    fc.record({
      points: fc.constant(points),
      shuffled: fc.shuffledSubarray([...points, ...points.slice(0, 3)], {
        minLength: points.length + Math.min(3, points.length),
      }),
      size: fc.integer({ min: 1, max: 20 }),
    }),
  );
  fc.assert(
    fc.property(given, ({ points, shuffled, size }) => {
      let history: History = [];
      for (let first = 0; first < shuffled.length; first += size)
        history = addToHistory(history, shuffled.slice(first, first + size));
      const once = addToHistory([], points);
      expect(texts(history)).toEqual(texts(once));
      expect(new Set(texts(history)).size).toBe(texts(history).length);
      expect(new Set(history.map(({ shown: _times, ...state }) => JSON.stringify(state))).size).toBe(history.length);
      // What is known already changes nothing.
      expect(addToHistory(once, shuffled)).toBe(once);
    }),
    { numRuns: runs(1_000) },
  );
});

it('leaves out the oldest times at which nothing changed once there are too many', () => {
  const at = (second: number, status: 'active' | 'past_due'): Point => {
    return { at: new Date(second * 1_000), by: SHOWN_BY.updated, state: { status, hasTrial: false, items: [] } };
  };
  const points = Array.from({ length: 5_000 }, (_, second) =>
    at(second, second % 1_000 === 500 ? 'past_due' : 'active'),
  );
  let history: History = [];
  for (let first = 0; first < points.length; first += 500)
    history = addToHistory(history, points.slice(first, first + 500));
  const times = history.flatMap(({ status, shown }) => shown.map(([ms]) => ({ ms, status })));
  expect(times).toHaveLength(2_000);
  const changes = times
    .toSorted((one, other) => one.ms - other.ms)
    .filter(({ status }, index, all) => status !== all[index - 1]?.status);
  expect(changes.map(({ ms, status }) => [ms / 1_000, status])).toEqual(
    [0, 500, 501, 1_500, 1_501, 2_500, 2_501, 3_500, 3_501, 4_500, 4_501].map((second, index) => [
      second,
      index % 2 === 0 ? 'active' : 'past_due',
    ]),
  );
});

it('keeps the newest of very many states, so that a message can carry it', () => {
  const points = Array.from({ length: 900 }, (_, second): Point => {
    const price = { unitAmount: 100, unitAmountDecimal: '100', billingScheme: 'per_unit', currency: 'usd' } as const;
    const period = { interval: 'month', intervalCount: 1, transformQuantity: null, metered: false } as const;
    const items = [{ ...price, ...period, quantity: second + 1 }];
    return { at: new Date(second * 1_000), by: SHOWN_BY.updated, state: { status: 'active', hasTrial: false, items } };
  });
  const history = points.reduce<History>((known, one) => addToHistory(known, [one]), []);
  expect(history).toHaveLength(500);
  expect(Math.min(...history.flatMap(({ shown }) => shown.map(([ms]) => ms)))).toBe(400_000);
  expect(JSON.stringify(history).length).toBeLessThan(256 * 1_024);
});
