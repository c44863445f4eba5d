import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isAlive } from '@billing/embedded-servers/process-table';
import { expect, it } from 'vitest';
import { startLocalSystem } from '../src/local-system.ts';
import { partPids, temporaryDataDir, waitUntil } from './data-folder.ts';
import { planStandIns, stoppedInOrder } from './stand-in-system.ts';

async function startOwner(dataDir: string): Promise<ChildProcess> {
  const owner = spawn(process.execPath, [join(import.meta.dirname, 'system-owner.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(owner.stdout, 'data');
  return owner;
}

it('stops in order and exits with code 0 on SIGTERM', async () => {
  await using data = await temporaryDataDir();
  const owner = await startOwner(data.path);
  const pids = partPids(data.path);
  owner.kill('SIGTERM');
  const [code] = await once(owner, 'exit');
  expect(code).toBe(0);
  expect(pids.filter(isAlive)).toEqual([]);
  expect((await stoppedInOrder(data.path))[0]).toBe('gateway');
});

it('leaves no process when the supervisor is killed, and starts again with the same data', async () => {
  await using data = await temporaryDataDir();
  const owner = await startOwner(data.path);
  const pids = partPids(data.path);
  expect(pids.length).toBe(6);
  owner.kill('SIGKILL');
  await once(owner, 'exit');

  // Immediately, while the guard is still ending the previous parts.
  await using system = await startLocalSystem({ dataDir: data.path, planPrograms: planStandIns() });
  await waitUntil(() => !pids.some(isAlive));
  expect((await fetch(system.gatewayUrl)).status).toBe(200);
});
