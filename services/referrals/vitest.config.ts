import { serverTestConfig } from '@billing/testing/vitest-config';

export default serverTestConfig();
