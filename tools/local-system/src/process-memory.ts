import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

interface ProcessRow {
  pid: number;
  parent: number;
  bytes: number;
}

export interface MemoryUse {
  processes: number;
  bytes: number;
}

/**
 * Returns the memory of these processes and all their descendants. On Linux it is the proportional set size, so that
 * pages shared by PostgreSQL's processes count once.
 */
export function measureMemory(roots: readonly number[]): MemoryUse {
  const rows = existsSync('/proc/self/stat') ? readProc() : readPs();
  const counted = new Set<number>(roots);
  // Each round adds one more generation.
  for (let size = 0; size < counted.size;) {
    size = counted.size;
    for (const { pid, parent } of rows) if (counted.has(parent)) counted.add(pid);
  }
  const own = rows.filter(row => counted.has(row.pid));
  return { processes: own.length, bytes: own.reduce((sum, row) => sum + row.bytes, 0) };
}

function readProc(): ProcessRow[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        // The name in parentheses may itself contain spaces and parentheses.
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(name), parent, bytes: readBytes(name) }];
      } catch {
        return [];
      }
    });
}

function readBytes(pid: string): number {
  for (const [file, field] of [
    ['smaps_rollup', 'Pss'],
    ['status', 'VmRSS'],
  ] as const) {
    try {
      const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
      const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
      if (kibibytes !== undefined) return Number(kibibytes) * 1024;
    } catch {
      // The proportional set size of another user's process is not readable.
    }
  }
  return 0;
}

function readPs(): ProcessRow[] {
  const table = execFileSync('ps', ['-axo', 'pid=,ppid=,rss='], { encoding: 'utf8' });
  return table
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, kibibytes = 0]) => ({ pid, parent, bytes: kibibytes * 1024 }));
}
