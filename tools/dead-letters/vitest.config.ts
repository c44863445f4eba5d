import { serverTestConfig } from '@billing/testing/vitest-config';

// Each run of the command is a process.
export default serverTestConfig({ testTimeoutMs: 120_000 });
