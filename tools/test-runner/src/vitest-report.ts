import { z } from 'zod';

/** The fields that we read from the report of Vitest's JSON reporter. */
export const vitestReport = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
});
export type VitestReport = z.output<typeof vitestReport>;

/** A workspace after its run. The report is missing when the run did not complete. */
export interface WorkspaceRun {
  name: string;
  hasTestFiles: boolean;
  report?: VitestReport | undefined;
}

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  /** One line for each failure, with its reason. */
  failures: string[];
}

/**
 * Adds up the runs of all workspaces. Failures outside of tests count too: a file that can't be loaded, a failed hook, a
 * missing report, and test files without tests.
 */
export function sumReports(runs: readonly WorkspaceRun[]): Totals {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for (const run of runs) addRun(totals, run);
  return totals;
}

/** Formats the end of the output: skipped tests, if any, on a line of their own, and last `12 passed, 0 failed`. */
export function formatTotals({ passed, failed, skipped }: Totals): string {
  return `${skipped === 0 ? '' : `${skipped} skipped\n`}${passed} passed, ${failed} failed`;
}

function addRun(totals: Totals, { name, hasTestFiles, report }: WorkspaceRun) {
  if (!hasTestFiles) return;
  if (report === undefined) return fail(totals, `${name}: the tests ended without a report`);

  const failuresBefore = totals.failed;
  for (const file of report.testResults) {
    for (const { fullName, status, failureMessages } of file.assertionResults) {
      if (status === 'passed') totals.passed++;
      else if (status === 'failed') fail(totals, `${name}: ${fullName}: ${firstLine(failureMessages.join('\n'))}`);
      else totals.skipped++;
    }
    const hasFailedTest = file.assertionResults.some(test => test.status === 'failed');
    if (file.status === 'failed' && !hasFailedTest) fail(totals, `${name}: ${file.name}: ${firstLine(file.message)}`);
  }
  if (report.testResults.every(file => file.assertionResults.length === 0) && totals.failed === failuresBefore)
    fail(totals, `${name}: the test files contain no tests`);
  if (!report.success && totals.failed === failuresBefore) fail(totals, `${name}: an error outside of a test`);
}

function fail(totals: Totals, line: string) {
  totals.failed++;
  totals.failures.push(line);
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] || 'no reason given';
}
