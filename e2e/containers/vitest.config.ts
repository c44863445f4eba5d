import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['containers/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
