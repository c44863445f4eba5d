import { expect, it } from 'vitest';
import { progressText } from './sync-counts.ts';

const counts = { compared: 35, read: 0, total: null, isRunning: true };

it('names no total before it is known', () => {
  expect(progressText(counts)).toBe('35 so far');
  expect(progressText({ ...counts, compared: 0 })).toBe('Not begun yet');
});

it('counts against the total, or against what was read when a sync has stopped', () => {
  expect(progressText({ ...counts, total: 40 })).toBe('35 of 40');
  expect(progressText({ ...counts, read: 36, isRunning: false })).toBe('35 of 36');
});
