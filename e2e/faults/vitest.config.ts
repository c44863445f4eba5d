import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['faults/**/*.test.ts'],
    // Each file starts a system of its own, and waits more than it works.
    maxWorkers: 2,
    reporters: ['default', './faults/system/tally-reporter.ts'],
    testTimeout: 600_000,
    hookTimeout: 240_000,
  },
});
