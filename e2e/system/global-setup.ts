import type { TestProject } from 'vitest/node';
import { startSystem } from './start-system.ts';

declare module 'vitest' {
  interface ProvidedContext {
    gatewayUrl: string;
    processorUrl: string;
    dataDir: string;
  }
}

/** Starts one system for all test files, without the demo, and stops it after the last test. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const system = await startSystem();
  const { gatewayUrl, processorUrl, dataDir } = system;
  project.provide('gatewayUrl', gatewayUrl);
  project.provide('processorUrl', processorUrl);
  project.provide('dataDir', dataDir);
  return () => system.stop();
}
