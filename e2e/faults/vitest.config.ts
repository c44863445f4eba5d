import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['faults/**/*.test.ts'],
    // Each file starts its own system, and mostly waits.
    maxWorkers: 2,
    reporters: ['default', './faults/system/tally-reporter.ts'],
    testTimeout: 600_000,
    hookTimeout: 240_000,
  },
});
