import fc from 'fast-check';

const DAY = 86_400_000;

/** Times at which calendar arithmetic easily goes wrong. */
const edgeTime = fc.constantFrom(
  '2026-03-31T23:59:59.999Z',
  '2026-04-01T00:00:00.000Z',
  '2028-02-29T12:00:00.000Z',
  '2028-03-01T00:00:00.001Z',
  '2026-12-31T23:30:00.000Z',
  '2027-01-01T00:00:00.000Z',
  '2026-06-15T08:09:10.111Z',
);

/** The present time and the length of the window. */
export const lookback = fc.record({
  now: edgeTime.map(text => new Date(text)),
  growthDays: fc.oneof(fc.constantFrom(1, 2, 30, 31, 60, 61, 364, 365), fc.integer({ min: 1, max: 365 })),
});
export type Lookback = typeof lookback extends fc.Arbitrary<infer Value> ? Value : never;

/** Times on, just beside and far from the edges of the window. */
export function timeAround({ now, growthDays }: Lookback): fc.Arbitrary<Date> {
  const [end, start] = [now.getTime(), now.getTime() - growthDays * DAY];
  const midnight = Math.floor(start / DAY) * DAY;
  const edges = [start, start - 1, start + 1, end, end - 1, end + 1, midnight, midnight + DAY, midnight + DAY - 1];
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constant(start) },
      { weight: 2, arbitrary: fc.constantFrom(...edges) },
      { weight: 1, arbitrary: fc.integer({ min: start, max: end }) },
      { weight: 2, arbitrary: fc.integer({ min: start - 400 * DAY, max: end }) },
      { weight: 1, arbitrary: fc.integer({ min: midnight, max: midnight + DAY }) },
    )
    .map(ms => new Date(ms));
}
