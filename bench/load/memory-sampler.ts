import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Reading the memory of a process takes CPU time from it: a few milliseconds. */
const INTERVAL_MS = 1_000;

/** The parts of a running system. */
type Parts = Readonly<Record<string, { readonly pid?: number | undefined }>>;

/** The most memory that one process of a part used, in bytes. */
export interface PeakMemory {
  readonly part: string;
  readonly bytes: number;
}

/**
 * Measures every process of these parts, and their direct children, once a second. The returned function stops that, and
 * returns the peak of each part.
 */
export function sampleMemory(parts: () => Parts): () => Promise<PeakMemory[]> {
  const peaks = new Map<string, number>();
  const stopping = new AbortController();

  const sample = async () => {
    const processes = await listProcesses();
    for (const [part, { pid }] of Object.entries(parts())) {
      const own = processes.filter(it => pid !== undefined && (it.pid === pid || it.parent === pid));
      for (const it of own) peaks.set(part, Math.max(peaks.get(part) ?? 0, proportionalSize(it.pid) ?? it.bytes));
    }
  };
  const sampling = (async () => {
    while (!stopping.signal.aborted) {
      await sample();
      await delay(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  // The caller awaits it, but only later.
  sampling.catch(() => undefined);

  return async () => {
    stopping.abort();
    await sampling;
    return [...peaks].map(([part, bytes]) => ({ part, bytes }));
  };
}

async function listProcesses() {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,rss=']);
  return stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, kibibytes = 0]) => ({ pid, parent, bytes: kibibytes * 1_024 }));
}

/** Returns the memory of a process in which shared pages count in part; undefined where the system does not tell. */
function proportionalSize(pid: number): number | undefined {
  try {
    const [, kibibytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024;
  } catch {
    return undefined;
  }
}
