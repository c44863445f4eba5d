import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startPostgres } from '../src/postgres.ts';
import { startProcessGuard } from '../src/process-guard.ts';
import { isAlive } from '../src/process-table.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface OwnedServers {
  pids: number[];
}

async function waitForExit(pids: readonly number[]): Promise<void> {
  for (const deadline = performance.now() + 120_000; pids.some(isAlive) && performance.now() < deadline;)
    await delay(20);
}

it('ends both servers when their owner is killed, without damaging the data', async () => {
  await using folder = await temporaryFolder();
  const owner = spawn(process.execPath, [join(import.meta.dirname, 'servers-owner.ts'), folder.path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(owner.stdout), 'line');
  // The script prints this shape.
  const { pids } = JSON.parse(String(line)) as OwnedServers;
  expect(pids.map(isAlive)).toEqual([true, true]);

  owner.kill('SIGKILL');
  await waitForExit(pids);
  expect(pids.map(isAlive)).toEqual([false, false]);

  const guard = startProcessGuard();
  const again = await startPostgres({
    dataDir: join(folder.path, 'postgres'),
    logFile: join(folder.path, 'postgres.log'),
    password: 'secret',
    guard,
  });
  await again.stop();
  guard.close();
});

it('kills a process that ignores SIGTERM, but not one it no longer watches', async () => {
  const stubborn = spawn('/bin/sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const unwatched = spawn('sleep', ['3600'], { stdio: 'ignore' });
  await once(stubborn.stdout, 'data');
  const guard = startProcessGuard();
  for (const { pid } of [stubborn, unwatched]) guard.watch(pid ?? 0, { first: 'SIGTERM', later: 'SIGKILL' });
  guard.forget(unwatched.pid ?? 0);
  guard.close();
  const [, signal] = await once(stubborn, 'exit');
  expect(signal).toBe('SIGKILL');
  expect(unwatched.exitCode).toBeNull();
  unwatched.kill();
});
