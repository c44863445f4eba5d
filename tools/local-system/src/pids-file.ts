import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf } from '@billing/embedded-servers/process-table';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const entry = z.object({ pid: z.number().int().optional(), port: z.number().int(), url: z.string() });

/** `pids.json` in the data folder: the running processes by name. It exists only while the system runs. */
export const pidsFile = z.object({
  /** The address and the bearer token of the control server. */
  supervisor: entry.extend({ token: z.string() }),
  /** The address that callers use. */
  publicUrl: z.string(),
  /** By name; a part that is not running has no pid. */
  parts: z.record(z.string(), entry),
});
export type PidsFile = z.output<typeof pidsFile>;

const PREVIOUS_PARTS_TIMEOUT_MS = 30_000;

/** Keeps `pids.json` up to date. */
export interface PidsWriter {
  /** Writes what runs. Never throws: while it fails, as on a full disk, the newest value is tried again every second. */
  write(value: PidsFile): void;
  /** Removes the file. */
  close(): void;
}

const RETRY_MS = 1_000;

export function openPidsWriter(dataDir: string, report: (line: string) => void): PidsWriter {
  let failing: NodeJS.Timeout | undefined;
  let newest: PidsFile | undefined;
  const tryAgain = () => newest && write(newest);
  const write = (value: PidsFile) => {
    newest = value;
    try {
      writePids(dataDir, value);
      if (failing) report('pids.json is written again');
      clearInterval(failing);
      failing = undefined;
    } catch (err) {
      if (failing) return;
      report(`pids.json can't be written, and is tried again: ${err instanceof Error ? err.message : String(err)}`);
      failing = setInterval(tryAgain, RETRY_MS).unref();
    }
  };
  return {
    write,
    close() {
      clearInterval(failing);
      removePids(dataDir);
    },
  };
}

/** Writes a temporary file and renames it, so that a reader never sees a partial file. */
function writePids(dataDir: string, value: PidsFile): void {
  const file = join(dataDir, 'pids.json');
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function removePids(dataDir: string): void {
  rmSync(join(dataDir, 'pids.json'), { force: true });
}

/**
 * Waits for the processes of a supervisor that was killed, which its guard is ending: two NATS servers would corrupt the
 * same folder.
 * @throws StartError when a process is still running after 30 s
 */
export async function waitForPreviousParts(dataDir: string): Promise<void> {
  const file = join(dataDir, 'pids.json');
  if (!existsSync(file)) return;
  const previous = pidsFile.safeParse(readJson(file));
  const deadline = performance.now() + PREVIOUS_PARTS_TIMEOUT_MS;
  for (const [name, { pid }] of Object.entries(previous.data?.parts ?? {})) {
    if (pid === undefined) continue;
    while (isPart(pid)) {
      if (performance.now() > deadline)
        throw new StartError(`Process ${pid} (${name}) of a previous start is still running. Stop it and start again.`);
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

/** Returns whether the process is one of ours; its id may belong to another program by now. */
function isPart(pid: number): boolean {
  return /main\.ts|postgres|nats-server/.test(commandLineOf(pid));
}
