import { expect, it } from 'vitest';
import { checkMetrics, checkRecords, compareRecord } from './metrics.ts';

const counts = (metric: string, amount: bigint) => ({ metric, bucket: '', amount });
const owned = { id: 'pc_1', projectId: 'proj_1', version: 3, contributions: [counts('customers', 1n)] };

it.each([
  ['counts the same', { version: 3, contributions: [counts('customers', 1n)] }, undefined],
  ['knows a newer state', { version: 4, contributions: [] }, undefined],
  ['counts more', { version: 3, contributions: [counts('customers', 2n)] }, 'wrong'],
  ['counts something else too', { version: 3, contributions: [counts('customers', 1n), counts('x', 1n)] }, 'wrong'],
  ['counts nothing', { version: 3, contributions: [] }, 'wrong'],
  ['knows an older state', { version: 2, contributions: [counts('customers', 1n)] }, 'behind'],
  ['does not know it', undefined, 'behind'],
])('compares a record with analytics, which %s', (_what, counted, why) => {
  expect(compareRecord(owned, counted).map(record => record.why)).toEqual(why ? [why] : []);
});

it('has one finding for each project and reason', () => {
  const wrong = ['customers', 'mrr'].map(metric => ({
    projectId: 'proj_1',
    metric,
    bucket: '',
    stored: '2',
    recomputed: '1',
  }));
  expect(checkMetrics(wrong)).toMatchObject([
    { subject: 'proj_1', problem: expect.stringContaining('customers is 2, recomputed 1, mrr is') },
  ]);
  const records = (['wrong', 'behind', 'wrong'] as const).map((why, index) => ({
    projectId: 'proj_1',
    id: `pc_${index}`,
    why,
  }));
  expect(checkRecords(records)).toMatchObject([
    { check: 'metrics-wrong', problem: expect.stringContaining('pc_0, pc_2') },
    { check: 'metrics-behind', problem: expect.stringContaining('pc_1') },
  ]);
});
