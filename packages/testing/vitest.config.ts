import { serverTestConfig } from './src/vitest-config.ts';

export default serverTestConfig();
