import { expect, it } from 'vitest';
import { formatTotals, sumReports, type VitestReport } from './vitest-report.ts';

const file = (
  statuses: readonly string[],
  status = statuses.includes('failed') ? 'failed' : 'passed',
  message = '',
) => ({
  name: '/project/test/a.test.ts',
  status,
  message,
  assertionResults: statuses.map((outcome, index) => ({
    fullName: `case ${index}`,
    status: outcome,
    failureMessages: outcome === 'failed' ? ['Error: 1 is not 2\n    at …'] : [],
  })),
});
const report = (...testResults: VitestReport['testResults']): VitestReport => ({
  success: testResults.every(result => result.status === 'passed'),
  testResults,
});
const run = (result: VitestReport | undefined) => ({ name: '@billing/a', hasTestFiles: true, report: result });

it('adds up the tests of all workspaces', () => {
  const totals = sumReports([
    run(report(file(['passed', 'passed', 'skipped']))),
    run(report(file(['passed']), file(['passed', 'todo']))),
  ]);
  expect(totals).toEqual({ passed: 4, failed: 0, skipped: 2, failures: [] });
  expect(formatTotals(totals)).toBe('2 skipped\n4 passed, 0 failed');
});

it('names each failed test and its reason', () => {
  const totals = sumReports([run(report(file(['passed', 'failed'])))]);
  expect(formatTotals(totals)).toBe('1 passed, 1 failed');
  expect(totals.failures).toEqual(['@billing/a: case 1: Error: 1 is not 2']);
});

it('counts a file that could not be loaded', () => {
  const broken = file([], 'failed', 'Error: no such module\n    at …');
  expect(sumReports([run(report(broken, file(['passed'])))])).toMatchObject({
    passed: 1,
    failed: 1,
    failures: ['@billing/a: /project/test/a.test.ts: Error: no such module'],
  });
});

it('counts a failed hook after passed tests', () => {
  expect(sumReports([run(report(file(['passed'], 'failed', 'afterAll broke')))])).toMatchObject({
    passed: 1,
    failed: 1,
  });
});

it('counts an error outside of tests', () => {
  expect(sumReports([run({ ...report(file(['passed'])), success: false })]).failures).toEqual([
    '@billing/a: an error outside of a test',
  ]);
});

it('counts a missing report and a report without tests as failures', () => {
  expect(sumReports([run(undefined)]).failures).toEqual(['@billing/a: the tests ended without a report']);
  expect(sumReports([run(report())]).failures).toEqual(['@billing/a: the test files contain no tests']);
  expect(sumReports([run(report(file([])))]).failed).toBe(1);
});

it('ignores a workspace without test files', () => {
  expect(sumReports([{ name: '@billing/a', hasTestFiles: false }])).toMatchObject({ passed: 0, failed: 0 });
});
