import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../finding.ts';
import { checkClocks } from './clocks.ts';

const others = (aheadMs: number) => ['postgres', 'gateway', 'catalog'].map(name => ({ name, aheadMs }));
const subjects = (readings: Parameters<typeof checkClocks>[0]) =>
  checkClocks(readings, DEFAULT_LIMITS).map(({ subject }) => subject);

it('blames the clock that differs from the others', () => {
  expect(subjects(others(0))).toEqual([]);
  expect(subjects(others(29_000))).toEqual([]);
  expect(subjects([...others(0), { name: 'webhooks', aheadMs: -31_000 }])).toEqual(['webhooks']);
});

it('blames this machine when all others agree', () => {
  const [finding] = checkClocks(others(-120_000), DEFAULT_LIMITS);
  expect(finding).toMatchObject({ subject: 'this machine', problem: expect.stringContaining('120 s ahead') });
});
