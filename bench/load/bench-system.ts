import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalSystem, type LocalSystem, type LocalSystemOptions } from '@billing/local-system';

export interface BenchSystem extends AsyncDisposable {
  readonly system: LocalSystem;
  readonly dataDir: string;
  /** The gateway by its address: resolving a name would take time. */
  readonly gatewayUrl: string;
}

/** Starts a whole system in a temporary folder. Disposing it stops the system and removes the folder. */
export async function startBenchSystem({
  planPrograms,
}: Pick<LocalSystemOptions, 'planPrograms'> = {}): Promise<BenchSystem> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-bench-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const system = resources.use(
    await startLocalSystem({ dataDir, logLevel: 'warn', ...(planPrograms && { planPrograms }) }),
  );
  const running = resources.move();
  return {
    system,
    dataDir,
    gatewayUrl: system.gatewayUrl.replace('localhost', '127.0.0.1'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
