import type { Sync } from '@billing/client';
import { expect, it } from 'vitest';
import { newestReport, planOf } from './apply-plan.ts';

const none = { same: 0, missing: 0, different: 0, extra: 0, conflict: 0, skipped: 0, applied: 0 };
const sync = (changes: Partial<Sync>): Sync => ({
  id: 'sync_1',
  projectId: 'proj_1',
  kind: 'account',
  catalog: null,
  mode: 'report',
  status: 'completed',
  types: ['product', 'customer'],
  filter: { metadata: {}, includeUnmarked: true },
  markAtProcessor: false,
  nightly: false,
  progress: {},
  counts: {},
  error: null,
  createdAt: '2026-03-02T09:00:00.000Z',
  startedAt: null,
  finishedAt: null,
  ...changes,
});

it('plans what differs, and leaves what is in conflict or skipped', () => {
  const counts = {
    product: { ...none, same: 7, skipped: 2 },
    customer: { ...none, missing: 3, different: 1, extra: 4, conflict: 5 },
  };
  expect(planOf(sync({ counts }))).toEqual({
    types: [{ type: 'customer', created: 3, changed: 1, removed: 4 }],
    left: 7,
  });
});

it('believes the newest complete report of everything since the last apply', () => {
  const wanted = sync({});
  const others = [
    sync({ status: 'running' }),
    sync({ types: ['customer'] }),
    sync({ filter: { metadata: { app: 'shop' }, includeUnmarked: true } }),
    sync({ filter: { metadata: {}, includeUnmarked: false } }),
    sync({ kind: 'catalog', mode: 'apply' }),
  ];
  expect(newestReport([...others, wanted], 2)).toBe(wanted);
  expect(newestReport([...others, sync({ mode: 'apply' }), wanted], 2)).toBeUndefined();
});
