import type { Reporter, TestModule } from 'vitest/node';
import { formatTotals, sumTotals, type Totals } from './totals.ts';

/** Prints `N passed, N failed` as the last line of the output, whatever ends the run. */
export default class TotalsReporter implements Reporter {
  #totals: Totals = { passed: 0, failed: 1, skipped: 0 };

  onInit(): void {
    process.once('exit', () => console.log(formatTotals(this.#totals)));
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    this.#totals = sumTotals(
      modules.map(module => ({
        states: [...module.children.allTests()].map(test => test.result().state),
        isOk: module.ok(),
      })),
      errors.length,
    );
  }
}
