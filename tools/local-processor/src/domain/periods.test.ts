import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cadence, isBillable, periodAt, periodStart } from './periods.ts';

const seconds = (iso: string) => Date.parse(iso) / 1000;
const iso = (time: number) => new Date(time * 1000).toISOString();
const monthly: Cadence = { interval: 'month', count: 1 };

describe('periods', () => {
  test('end on the last day of a shorter month and return to the anchor day', () => {
    const anchor = seconds('2027-01-31T10:30:05Z');
    const starts = [0, 1, 2, 3].map(index => iso(periodStart(anchor, monthly, index)));
    expect(starts).toEqual([
      '2027-01-31T10:30:05.000Z',
      '2027-02-28T10:30:05.000Z',
      '2027-03-31T10:30:05.000Z',
      '2027-04-30T10:30:05.000Z',
    ]);
  });

  test('that start on 29 February end on 28 February in other years', () => {
    const anchor = seconds('2028-02-29T00:00:00Z');
    expect(iso(periodStart(anchor, { interval: 'year', count: 1 }, 1))).toBe('2029-02-28T00:00:00.000Z');
    expect(iso(periodStart(anchor, { interval: 'year', count: 1 }, 4))).toBe('2032-02-29T00:00:00.000Z');
  });

  test('contain the requested time and are contiguous', () => {
    const cadence = fc.record({
      interval: fc.constantFrom('day', 'week', 'month', 'year'),
      count: fc.integer({ min: 1, max: 3 }),
    });
    const anchor = fc.integer({ min: seconds('2000-01-01T00:00:00Z'), max: seconds('2040-01-01T00:00:00Z') });
    fc.assert(
      fc.property(anchor, cadence, fc.integer({ min: 0, max: 400_000_000 }), (start, every, later) => {
        const period = periodAt(start, every, start + later);
        expect(period.start).toBeLessThanOrEqual(start + later);
        expect(period.end).toBeGreaterThan(start + later);
        expect(periodAt(start, every, period.end).start).toBe(period.end);
      }),
    );
  });

  test('are limited to three years', () => {
    expect(isBillable({ interval: 'month', count: 36 })).toBe(true);
    expect(isBillable({ interval: 'month', count: 37 })).toBe(false);
    expect(isBillable({ interval: 'year', count: 4 })).toBe(false);
  });
});
