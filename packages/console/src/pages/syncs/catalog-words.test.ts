import type { SyncFinding } from '@billing/client';
import { expect, it } from 'vitest';
import { explainItem, staysText } from './catalog-words.ts';

const finding: SyncFinding = {
  type: 'price',
  processorId: null,
  id: 'pri_1',
  name: null,
  belongsTo: null,
  outcome: 'different',
  fields: [],
  reason: null,
  applied: false,
  key: 'pro_monthly',
  action: 'replace',
  liveSubscriptions: 3,
  migration: null,
};

it('says what an apply would do, what one has done, and what it has not', () => {
  expect(explainItem(finding, 'report')).toContain('An apply creates a price with the new terms');
  expect(explainItem({ ...finding, applied: true }, 'apply')).toContain('was created');
  expect(explainItem(finding, 'apply')).toBe('It was not applied.');
  expect(explainItem({ ...finding, outcome: 'extra', action: 'none' }, 'apply')).toContain('leaves it');
});

it('says why an item is in conflict, and what to do', () => {
  expect(explainItem({ ...finding, outcome: 'conflict', reason: 'twin' }, 'report')).toContain('adopt it');
});

it('counts the subscriptions that stay', () => {
  expect(staysText(finding)).toBe('3 subscriptions stay on it, at its terms.');
  expect(staysText({ liveSubscriptions: 1 })).toContain('1 subscription stays');
  expect(staysText({ liveSubscriptions: 0 })).toBeUndefined();
});
