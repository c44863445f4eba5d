import { expect, it } from 'vitest';
import { formatTotals, sumTotals, type FileResult } from '../src/totals.ts';

const file = (...states: FileResult['states']): FileResult => ({ states, isOk: !states.includes('failed') });

it('adds up the tests of all files', () => {
  const totals = sumTotals([file('passed', 'failed', 'skipped'), file('passed')], 0);
  expect(formatTotals(totals)).toBe('2 passed, 1 failed, 1 skipped');
  expect(formatTotals(sumTotals([file('passed')], 0))).toBe('1 passed, 0 failed');
});

it('counts what fails outside of tests', () => {
  const broken = { states: [], isOk: false };
  const brokenHook = { states: ['passed'], isOk: false } as const;
  expect(sumTotals([broken, brokenHook, file('passed')], 1)).toEqual({ passed: 2, failed: 3, skipped: 0 });
});

it('counts a test that did not end, and a run without tests', () => {
  expect(sumTotals([file('passed', 'pending')], 0).failed).toBe(1);
  expect(sumTotals([], 0).failed).toBe(1);
  expect(sumTotals([file('skipped')], 0)).toEqual({ passed: 0, failed: 0, skipped: 1 });
});
