import type { Reporter, TestModule } from 'vitest/node';
import type { Tally } from './tally.ts';

/** Prints the totals of all runs as the last lines of the output. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tallies = modules.flatMap(module => [...module.children.allTests()].flatMap(test => test.meta().tally ?? []));
    const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
    const slowest = Math.max(0, ...tallies.map(({ drainMs }) => drainMs));
    const lines = [
      `Events sent       ${sum(it => it.sent)}`,
      `Acknowledged      ${sum(it => it.acknowledged)}`,
      `Lost              ${sum(it => it.lost)}`,
      `Duplicated        ${sum(it => it.duplicated)}`,
      `Time to drain     ${(sum(it => it.drainMs) / 1_000).toFixed(1)} s after ${tallies.length} faults, ${(slowest / 1_000).toFixed(1)} s at most`,
    ];
    // Runs after the default reporter has printed its summary.
    setImmediate(() => console.log(`\n${lines.join('\n')}`));
  }
}
