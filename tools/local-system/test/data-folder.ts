import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PidsFile, pidsFile } from '../src/pids-file.ts';

/** Creates a data folder that is removed at the end of its scope. */
export async function temporaryDataDir(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'billing-system-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export function readPids(dataDir: string): PidsFile {
  return pidsFile.parse(JSON.parse(readFileSync(join(dataDir, 'pids.json'), 'utf8')));
}

/** Returns the pids of all running parts. */
export function partPids(dataDir: string): number[] {
  return Object.values(readPids(dataDir).parts).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
}

/** Polls until `condition` is true; throws after `timeoutMs`. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(20))
    if (await condition()) return;
  throw new Error(`Waited ${timeoutMs} ms for ${condition.toString()}`);
}
