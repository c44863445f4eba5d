import { defineConfig, type ViteUserConfig } from 'vitest/config';

/**
 * Vitest's configuration for a workspace whose tests use PostgreSQL and NATS. A test that passes needs no time limit; the limit
 * is for a machine on which a browser and whole systems run at the same time.
 */
export function serverTestConfig({ testTimeoutMs = 60_000 } = {}): ViteUserConfig {
  return defineConfig({
    test: {
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      globalSetup: '@billing/testing/global-setup',
      // Importing a module does nothing, so files can share modules. This halves the processor time of a run.
      isolate: false,
      // Many tests wait for a retry or a lease to end.
      maxWorkers: 2,
      testTimeout: testTimeoutMs,
      hookTimeout: 60_000,
    },
  });
}
