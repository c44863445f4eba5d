import { defineConfig } from 'vitest/config';

/** The contract alone, without databases; at Stripe a case may take minutes, because events and searches come late. */
export default defineConfig({
  test: { include: ['test/contract.test.ts'], reporters: ['verbose'], testTimeout: 300_000, hookTimeout: 120_000 },
});
