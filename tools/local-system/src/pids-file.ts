import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '@billing/service/start-error';
import { z } from 'zod';
import { commandLineOf } from './process-table.ts';

const entry = z.object({ pid: z.number().int().optional(), port: z.number().int(), url: z.string() });

/** `pids.json` in the data folder: the running processes by name. It exists only while the system runs. */
export const pidsFile = z.object({
  /** Where parts are stopped and started by name, and the bearer token that allows it. */
  supervisor: entry.extend({ token: z.string() }),
  /** Without a pid while the part is not running. */
  parts: z.record(z.string(), entry),
});
export type PidsFile = z.output<typeof pidsFile>;

const FORMER_PARTS_TIMEOUT_MS = 30_000;

/** Written beside its place and moved, so that a reader never sees half of it. */
export function writePids(dataDir: string, value: PidsFile): void {
  const file = join(dataDir, 'pids.json');
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removePids(dataDir: string): void {
  rmSync(join(dataDir, 'pids.json'), { force: true });
}

/**
 * Waits for the processes of a supervisor that was killed: its guard is ending them, and two NATS servers over one
 * folder would spoil it.
 * @throws StartError when one of them stays.
 */
export async function untilFormerPartsAreGone(dataDir: string): Promise<void> {
  const file = join(dataDir, 'pids.json');
  if (!existsSync(file)) return;
  const former = pidsFile.safeParse(readJson(file));
  const deadline = performance.now() + FORMER_PARTS_TIMEOUT_MS;
  for (const [name, { pid }] of Object.entries(former.data?.parts ?? {})) {
    if (pid === undefined) continue;
    while (isPart(pid)) {
      if (performance.now() > deadline)
        throw new StartError(`Process ${pid} (${name}) of an earlier start is still running. Stop it and start again.`);
      await delay(100);
    }
  }
  removePids(dataDir);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether the process is one of those we start; its id may belong to a stranger by now. */
function isPart(pid: number): boolean {
  return /main\.ts|postgres|nats-server/.test(commandLineOf(pid));
}
