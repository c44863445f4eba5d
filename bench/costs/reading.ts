import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import type { LocalSystem } from '@billing/local-system';

/** Clock ticks in a second; Linux has had this value on every architecture for decades. */
const TICKS = 100;

/** What a system has used so far. */
export interface Reading {
  /** Processor time by part, in milliseconds. */
  readonly cpuMs: ReadonlyMap<string, number>;
  readonly commits: number;
  /** Bytes of PostgreSQL's log. */
  readonly walBytes: number;
  /** Bytes that NATS has written to its folder. */
  readonly busBytes: number;
  readonly databaseBytes: number;
}

/** The local processor stands in for Stripe, whose time costs us nothing. */
const NOT_COUNTED = 'processor';

const SERVERS: ReadonlySet<string> = new Set(['postgres', 'nats']);

/** Reads what a system has used. */
export async function readUse(system: LocalSystem, database: Client): Promise<Reading> {
  const table = processTable();
  const parts = Object.entries(system.services).filter(([name]) => name !== NOT_COUNTED);
  const natsPid = system.services['nats']?.pid ?? 0;
  const { rows } = await database.query<{ commits: string; wal: string; size: string }>(
    `select (select sum(xact_commit) from pg_stat_database)::text as commits,
            (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as wal, pg_database_size(current_database())::text as size`,
  );
  return {
    cpuMs: new Map(parts.map(([name, { pid }]) => [name, cpuOf(table, pid ?? 0)])),
    commits: Number(rows[0]?.commits),
    walBytes: Number(rows[0]?.wal),
    busBytes: writtenBy(natsPid),
    databaseBytes: Number(rows[0]?.size),
  };
}

/** Returns what was used between two readings. */
export function between(before: Reading, after: Reading): Reading {
  const cpuMs = [...after.cpuMs].map(([name, ms]) => [name, ms - (before.cpuMs.get(name) ?? 0)] as const);
  return {
    cpuMs: new Map(cpuMs),
    commits: after.commits - before.commits,
    walBytes: after.walBytes - before.walBytes,
    busBytes: after.busBytes - before.busBytes,
    databaseBytes: after.databaseBytes - before.databaseBytes,
  };
}

export const totalCpuMs = ({ cpuMs }: Reading): number => [...cpuMs.values()].reduce((sum, ms) => sum + ms, 0);

/** The processor time of the gateway and the services: all but the servers. */
export const servicesCpuMs = ({ cpuMs }: Reading): number =>
  [...cpuMs].reduce((sum, [name, ms]) => (SERVERS.has(name) ? sum : sum + ms), 0);

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its own and that of its children that have ended. */
  readonly ms: number;
}

function processTable(): Process[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The name in parentheses may itself contain spaces and parentheses.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
        return [{ pid: Number(name), parent: Number(fields[1]), ms: (ticks * 1_000) / TICKS }];
      } catch {
        return []; // It has ended.
      }
    });
}

/** The time of a process and all its descendants. */
function cpuOf(table: readonly Process[], root: number): number {
  const own = table.find(({ pid }) => pid === root)?.ms ?? 0;
  return table.filter(({ parent }) => parent === root).reduce((sum, { pid }) => sum + cpuOf(table, pid), own);
}

/** https://man7.org/linux/man-pages/man5/proc_pid_io.5.html */
function writtenBy(pid: number): number {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // Another user's process.
  }
}
