export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The tests of one file, and whether nothing of it failed: no test, no hook, and not its loading. */
export interface FileResult {
  readonly states: readonly ('passed' | 'failed' | 'skipped' | 'pending')[];
  readonly isOk: boolean;
}

/**
 * Adds up the files of a run. What fails outside of tests counts too: a file that can't be loaded, a failed hook, an
 * uncaught error, a test that did not end, and a run without tests.
 */
export function sumTotals(files: readonly FileResult[], uncaughtErrors: number): Totals {
  const states = files.flatMap(file => file.states);
  const count = (state: FileResult['states'][number]) => states.filter(it => it === state).length;
  const brokenFiles = files.filter(({ isOk, states: tests }) => !isOk && !tests.includes('failed')).length;
  const failed = count('failed') + count('pending') + brokenFiles + uncaughtErrors;
  return {
    passed: count('passed'),
    failed: states.length === 0 ? Math.max(failed, 1) : failed,
    skipped: count('skipped'),
  };
}

/** Formats the last line of the output, for example `12 passed, 0 failed, 2 skipped`. */
export function formatTotals({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
