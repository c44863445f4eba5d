import type { TestProject } from 'vitest/node';
import { startLimitedGateway } from './limited-gateway.ts';
import { startSystem } from './start-system.ts';

declare module 'vitest' {
  interface ProvidedContext {
    gatewayUrl: string;
    /** A copy of the gateway with limits that tests can reach. */
    limitedGatewayUrl: string;
    processorUrl: string;
    dataDir: string;
  }
}

/** Starts one system for all test files, without the demo and with a second gateway, and stops it after the last test. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const system = await startSystem();
  const { gatewayUrl, processorUrl, dataDir } = system;
  project.provide('gatewayUrl', gatewayUrl);
  project.provide('processorUrl', processorUrl);
  project.provide('dataDir', dataDir);
  const limited = await startLimitedGateway(dataDir);
  project.provide('limitedGatewayUrl', limited.url);
  return async () => {
    await limited.stop();
    await system.stop();
  };
}
