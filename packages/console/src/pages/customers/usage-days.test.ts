import { expect, it } from 'vitest';
import { daysWithUsage, lastDays, metersOf } from './usage-days.ts';

it('names the meters of usage and of what was sold, each once', () => {
  const subscriptions = [{ items: [{ priceId: 'pri_a' }, { priceId: null }] }];
  const prices = [{ id: 'pri_a', meter: 'api_calls' }, { id: 'pri_b', meter: 'storage' }, { id: 'pri_c' }] as const;
  const usage = [{ meter: 'tokens' }, { meter: 'api_calls' }];
  expect(metersOf(usage, subscriptions, prices)).toEqual(['api_calls', 'tokens']);
  expect(metersOf([], [], prices)).toEqual([]);
});

it('reads 30 days, of which the last is that of the time', () => {
  expect(lastDays(new Date('2030-03-31T12:00:00Z'))).toEqual({
    start: '2030-03-02T12:00:00.000Z',
    end: '2030-03-31T12:00:00.000Z',
    window: 'day',
  });
});

it('lists the days with usage, newest first', () => {
  const summaries = [
    { start: '2030-03-02T00:00:00.000Z', value: 3 },
    { start: '2030-03-03T00:00:00.000Z', value: 0 },
    { start: '2030-03-04T00:00:00.000Z', value: 4 },
  ];
  expect(daysWithUsage(summaries)).toEqual([
    { day: '2030-03-04', value: 4 },
    { day: '2030-03-02', value: 3 },
  ]);
});
