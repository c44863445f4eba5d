import { CustomerId, ProjectId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { UsageEvent } from '@billing/contracts/resources/usage';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifierOf, isTooLateToRepeat, roundTime, sortOut, type RecordedUsage } from './usage.rules.ts';

const NOW = new Date('2026-03-02T09:30:00Z');
const [SECOND, MINUTE, DAY] = [1_000, 60_000, 86_400_000];
const [ada, bob] = [CustomerId.create(), CustomerId.create()];

const event = (changes: Partial<UsageEvent> = {}): UsageEvent => ({
  id: 'a',
  customerId: ada,
  externalId: undefined,
  meter: 'calls',
  value: 1,
  at: undefined,
  ...changes,
});
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const sort = (events: readonly UsageEvent[], recorded: readonly RecordedUsage[] = [], now = NOW) =>
  sortOut(events, {
    customerOf: ({ customerId, externalId }) => (externalId === 'bob' ? bob : customerId),
    nowOf: () => now,
    recorded: new Map(recorded.map(one => [one.id, one])),
  });
const problemOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (err) {
    if (err instanceof Problem) return { status: err.status, code: err.code, details: err.details };
  }
  return undefined;
};
const wrong = (...events: readonly (readonly [index: number, id: string, code: string])[]) => ({
  events: events.map(([index, id, code]) => ({ index, id, code })),
});

describe('events of a request', () => {
  it('are of now, of a customer by either id', () => {
    expect(sort([event(), event({ id: 'b', customerId: undefined, externalId: 'bob' })])).toEqual([
      { id: 'a', customerId: ada, meter: 'calls', value: 1, at: NOW },
      { id: 'b', customerId: bob, meter: 'calls', value: 1, at: NOW },
    ]);
  });

  it.each([
    ['5 minutes ahead', ago(-5 * MINUTE), undefined],
    ['a moment more ahead', ago(-5 * MINUTE - 1), 'usage_in_future'],
    ['34 days old', ago(34 * DAY), undefined],
    ['a moment older', ago(34 * DAY + 1), 'usage_too_old'],
  ])('may be %s or not', (_, at, code) => {
    const problem = problemOf(() => sort([event({ at })]));
    expect(problem).toEqual(code && { status: 422, code, details: wrong([0, 'a', code]) });
  });

  it('are refused together, and every wrong one is named', () => {
    const recorded = { id: 'c', customerId: ada, meter: 'calls', value: 2, at: NOW };
    const events = [
      event(),
      event({ id: 'b', at: ago(35 * DAY) }),
      event({ id: 'c' }),
      event({ id: 'd', customerId: undefined, externalId: 'nobody' }),
      event({ value: 7 }),
    ];
    expect(problemOf(() => sort(events, [recorded]))).toEqual({
      status: 422,
      code: 'usage_too_old',
      details: wrong(
        [1, 'b', 'usage_too_old'],
        [2, 'c', 'usage_id_taken'],
        [3, 'd', 'customer_not_found'],
        [4, 'a', 'usage_id_taken'],
      ),
    });
  });
});

describe('a recorded event', () => {
  const at = ago(10 * SECOND);
  const recorded = { id: 'a', customerId: ada, meter: 'calls', value: 1, at };

  it('is the same with its time, or none', () => {
    expect(sort([event({ at }), event()], [recorded])).toEqual([]);
  });

  it('is the same, however old it is by now', () => {
    expect(sort([event({ at })], [recorded], new Date(at.getTime() + 39 * DAY))).toEqual([]);
  });

  it.each([{ customerId: bob }, { meter: 'other' }, { value: 2 }, { at: NOW }])('is not one with %j', changes => {
    expect(problemOf(() => sort([event({ at, ...changes })], [recorded]))).toMatchObject({
      status: 409,
      code: 'usage_id_taken',
    });
  });
});

it('records each event once, whatever the order and the repeats of requests', () => {
  const ids = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e'], { minLength: 1 });
  fc.assert(
    fc.property(fc.array(ids, { minLength: 1, maxLength: 8 }), requests => {
      const recorded: RecordedUsage[] = [];
      for (const request of requests) {
        const events = request.flatMap(id => [event({ id, value: id.codePointAt(0) ?? 0 })]);
        const fresh = sort([...events, ...events.toReversed()], recorded, ago(recorded.length));
        expect(fresh.map(({ id }) => id)).toEqual(request.filter(id => !recorded.some(one => one.id === id)));
        recorded.push(...fresh);
      }
      expect(new Set(recorded.map(({ id }) => id))).toEqual(new Set(requests.flat()));
      expect(new Set(recorded.map(({ id }) => id)).size).toBe(recorded.length);
    }),
    { numRuns: runs(200) },
  );
});

it('has an identifier that no other project or id has, short enough for the processor', () => {
  const [one, other] = [ProjectId.create(), ProjectId.create()];
  const identifiers = [identifierOf(one, 'a'), identifierOf(one, 'b'), identifierOf(other, 'a')];
  expect(new Set(identifiers).size).toBe(3);
  expect(identifierOf(one, 'a')).toBe(identifiers[0]);
  expect(Math.max(...identifiers.map(text => text.length))).toBeLessThanOrEqual(100);
});

it('is not repeated later than 23 hours after it was sent first', () => {
  expect(isTooLateToRepeat(null, NOW)).toBe(false);
  expect(isTooLateToRepeat(ago(23 * 60 * MINUTE), NOW)).toBe(false);
  expect(isTooLateToRepeat(ago(23 * 60 * MINUTE + 1), NOW)).toBe(true);
});

describe('a time to sum up', () => {
  const time = (start: string, end: string, window?: 'hour' | 'day') =>
    roundTime({ start: new Date(start), end: new Date(end), window });

  it.each([
    [undefined, '2026-03-02T09:30:00.000Z', '2026-03-02T09:31:00.000Z'],
    ['hour' as const, '2026-03-02T09:00:00.000Z', '2026-03-02T10:00:00.000Z'],
    ['day' as const, '2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z'],
  ])('is rounded to whole windows: %s', (window, start, end) => {
    const rounded = { start: new Date(start), end: new Date(end), window };
    expect(time('2026-03-02T09:30:01Z', '2026-03-02T09:30:59.999Z', window)).toEqual(rounded);
    expect(time(start, end, window)).toEqual(rounded);
  });

  it('is not empty, and has at most 1,000 windows', () => {
    expect(problemOf(() => time('2026-03-02T09:30:30Z', '2026-03-02T09:30:30Z'))).toMatchObject({ status: 400 });
    expect(time('2026-01-01T00:00:00Z', '2026-02-11T16:00:00Z', 'hour')).toBeDefined();
    expect(problemOf(() => time('2026-01-01T00:00:00Z', '2026-02-11T16:00:01Z', 'hour'))).toMatchObject({
      status: 400,
    });
  });
});
