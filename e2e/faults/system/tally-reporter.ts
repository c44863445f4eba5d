import type { Reporter, TestModule } from 'vitest/node';
import type { Tally } from './tally.ts';

/** Prints as the last lines of the run what became of all events. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tallies = modules.flatMap(module => [...module.children.allTests()].flatMap(test => test.meta().tally ?? []));
    const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
    const slowest = Math.max(0, ...tallies.map(({ drainMs }) => drainMs));
    const lines = [
      `Events sent       ${sum(it => it.sent)}`,
      `Acknowledged      ${sum(it => it.acknowledged)}`,
      `Lost              ${sum(it => it.lost)}`,
      `Doubled           ${sum(it => it.doubled)}`,
      `Time to drain     ${(sum(it => it.drainMs) / 1_000).toFixed(1)} s after ${tallies.length} faults, ${(slowest / 1_000).toFixed(1)} s at most`,
    ];
    // After the summary of the reporter before this one.
    setImmediate(() => console.log(`\n${lines.join('\n')}`));
  }
}
