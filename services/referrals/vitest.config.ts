import { serverTestConfig } from '@billing/testing/vitest-config';

export default serverTestConfig({ testTimeoutMs: 60_000 });
