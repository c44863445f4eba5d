import { defineConfig } from 'vitest/config';

/** Each file starts a system of its own, and mostly waits; so it runs beside the tests that share one. */
export default defineConfig({
  test: { include: ['*.test.ts'], fileParallelism: false, isolate: false, testTimeout: 90_000 },
});
