import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'attacks/**/*.test.ts', 'own-system/**/*.test.ts'],
    globalSetup: './system/global-setup.ts',
    // All files share one system, so running them in parallel gains nothing.
    fileParallelism: false,
    // Importing a module does nothing, so files can share modules.
    isolate: false,
    // A test that passes needs no limit.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
