import { describe, expect, it } from 'vitest';
import { churnRate } from './churn.ts';
import { customerGrowth } from './growth.ts';
import { sampleDays, windowOf } from './window.ts';

const daysOf = (now: string, days: number) => sampleDays(windowOf(new Date(now), days), days);

describe('sampled days', () => {
  it.each([
    ['2028-03-01T00:00:00.000Z', 2, ['2028-02-28', '2028-02-29', '2028-03-01']],
    ['2027-03-01T00:00:00.000Z', 2, ['2027-02-27', '2027-02-28', '2027-03-01']],
    ['2027-01-01T00:00:00.000Z', 1, ['2026-12-31', '2027-01-01']],
    ['2026-03-31T23:59:59.999Z', 1, ['2026-03-30', '2026-03-31']],
  ])('include the first and last day: before %s, %i days back', (now, days, expected) => {
    expect(daysOf(now, days)).toEqual(expected);
  });

  it('ascend, are at most 31, and start and end with the window for every length', () => {
    for (const now of ['2028-02-29T12:00:00Z', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00Z'])
      for (let days = 1; days <= 365; days += 1) {
        const sampled = daysOf(now, days);
        const first = new Date(new Date(now).getTime() - days * 86_400_000).toISOString().slice(0, 10);
        expect(sampled[0]).toBe(first);
        expect(sampled.at(-1)).toBe(now.slice(0, 10));
        expect(sampled.length).toBeLessThanOrEqual(31);
        expect([...new Set(sampled)].toSorted()).toEqual(sampled);
      }
  });
});

describe('customer growth', () => {
  it('counts backwards from the total; today includes customers dated later', () => {
    const netNew = new Map([
      ['2026-01-02', 3n],
      ['2026-01-03', -1n],
      ['2026-01-09', 1n],
    ]);
    expect(customerGrowth(['2026-01-01', '2026-01-02', '2026-01-03'], 10n, netNew)).toEqual([
      { date: '2026-01-01', count: 7 },
      { date: '2026-01-02', count: 10 },
      { date: '2026-01-03', count: 10 },
    ]);
  });
});

describe('churn rate', () => {
  const counts = {
    ongoing: 0n,
    startedAfter: 0n,
    lapsedAfter: 0n,
    endedAfter: 0n,
    startedAndEndedAfter: 0n,
    endingLater: 0n,
  };

  it('is 0 when no subscription was alive at the start', () => {
    expect(churnRate(counts)).toBe(0);
    expect(churnRate({ ...counts, ongoing: 3n, startedAfter: 5n, endedAfter: 2n, startedAndEndedAfter: 2n })).toBe(0);
  });

  it('is a percentage with two decimals, rounded half up', () => {
    expect(churnRate({ ...counts, ongoing: 2n, endedAfter: 1n })).toBe(33.33);
    expect(churnRate({ ...counts, ongoing: 1n, endedAfter: 2n })).toBe(66.67);
    expect(churnRate({ ...counts, ongoing: 19_999n, endedAfter: 1n })).toBe(0.01);
    expect(churnRate({ ...counts, endedAfter: 4n })).toBe(100);
  });

  it('ignores subscriptions that started and ended inside the window', () => {
    expect(churnRate({ ...counts, ongoing: 4n, startedAfter: 3n, endedAfter: 3n, startedAndEndedAfter: 2n })).toBe(25);
  });
});
