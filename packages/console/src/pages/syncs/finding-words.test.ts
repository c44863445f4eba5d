import type { SyncFinding } from '@billing/client';
import { expect, it } from 'vitest';
import { differencesText, explainFinding } from './finding-words.ts';

const finding: SyncFinding = {
  type: 'customer',
  processorId: 'cus_1',
  id: null,
  name: 'Ada',
  belongsTo: null,
  outcome: 'missing',
  fields: [],
  reason: null,
  applied: false,
  key: null,
  action: null,
  liveSubscriptions: null,
  migration: null,
};

it('says what an apply would do, and what one has done', () => {
  expect(explainFinding(finding, 'report')).toContain('An apply records it');
  expect(explainFinding({ ...finding, applied: true }, 'apply')).toBe('It was recorded.');
  expect(explainFinding(finding, 'apply')).toBe('It was not taken over.');
});

it('says in words why an object is left as it is', () => {
  const because = (reason: string) => explainFinding({ ...finding, outcome: 'skipped', reason }, 'report');
  expect(because('ended_long_ago')).toBe('It ended more than 400 days ago.');
  expect(because('cus_2 with the same e-mail is taken: it is the newest')).toBe(
    'cus_2 with the same e-mail is taken: it is the newest.',
  );
});

it('names the fields that differ, with both values', () => {
  const fields = [
    { field: 'cancelAtPeriodEnd', ours: false, theirs: true },
    { field: 'metadata', ours: { app: 'shop', tier: 'free' }, theirs: { app: 'shop', planId: '7', tier: 'gold' } },
    { field: 'name', ours: null, theirs: 'Ada' },
  ];
  expect(differencesText({ fields })).toBe(
    'cancel at period end: no → yes; metadata tier: free → gold; metadata planId: nothing → 7; name: nothing → Ada',
  );
});
