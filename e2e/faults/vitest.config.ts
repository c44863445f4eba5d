import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['faults/**/*.test.ts'],
    // The processes of one system take both cores; each file starts its own.
    fileParallelism: false,
    reporters: ['default', './faults/system/tally-reporter.ts'],
    testTimeout: 600_000,
    hookTimeout: 240_000,
  },
});
