import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['faults/**/*.test.ts', '**/*.system.test.ts'],
    // Each file starts its own system, and mostly waits.
    maxWorkers: 2,
    reporters: ['default', './faults/system/tally-reporter.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
