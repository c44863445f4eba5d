import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'attacks/**/*.test.ts'],
    globalSetup: './system/global-setup.ts',
    // All files share one system, so running them in parallel gains nothing.
    fileParallelism: false,
    // Importing a module does nothing, so files can share modules.
    isolate: false,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
