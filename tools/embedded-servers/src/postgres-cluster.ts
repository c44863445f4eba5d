import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { PostgresAccount } from './postgres-account.ts';
import { commandLineOf } from './process-table.ts';

const MAJOR_VERSION = '18';
const SHUTDOWN_TIMEOUT_MS = 15_000;

export interface NewCluster {
  dataDir: string;
  initdb: string;
  account: PostgresAccount;
  user: string;
  password: string;
  durable: boolean;
}

/**
 * Creates a cluster with UTF-8, a platform-independent collation, and SCRAM for every connection. It is created in a
 * temporary folder and renamed when complete, so an interrupted start leaves no partial cluster.
 * @throws when initdb fails
 */
export async function createCluster({ dataDir, initdb, account, user, password, durable }: NewCluster): Promise<void> {
  const unfinished = `${dataDir}.unfinished`;
  await mkdir(dirname(dataDir), { recursive: true });
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const secrets = await mkdtemp(join(tmpdir(), 'billing-initdb-'));
  try {
    const passwordFile = join(secrets, 'password');
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    const { uid, gid, prefix } = account;
    if (uid !== undefined && gid !== undefined)
      await Promise.all([unfinished, secrets, passwordFile].map(path => chown(path, uid, gid)));

    const [program = initdb, ...args] = [
      ...prefix,
      initdb,
      `--pgdata=${unfinished}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ];
    await promisify(execFile)(program, args, {
      cwd: '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
      ...(prefix.length === 0 && uid !== undefined && gid !== undefined ? { uid, gid } : {}),
    });
    await rename(unfinished, dataDir);
  } catch (cause) {
    const details = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    throw new Error(`PostgreSQL could not create its data folder ${dataDir}: ${details}`, { cause });
  } finally {
    await rm(secrets, { recursive: true, force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** @throws when the folder is no cluster, has another major version, or is not readable */
export function requireVersion(dataDir: string): void {
  let version: string;
  try {
    version = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  } catch (cause) {
    throw new Error(
      `The folder ${dataDir} can't be read as a PostgreSQL data folder. Start as the user who created it, or remove it to start afresh.`,
      { cause },
    );
  }
  if (version !== MAJOR_VERSION)
    throw new Error(
      `The folder ${dataDir} belongs to PostgreSQL ${version}; this system runs ${MAJOR_VERSION}. Choose another BILLING_DATA_DIR, or dump and restore the data.`,
    );
}

/**
 * Removes the lock file of a killed server and waits for a server that is still shutting down. The process id in the
 * file may belong to another program by now.
 * @throws when a running server uses the folder
 */
export async function clearStaleLock(dataDir: string): Promise<void> {
  const lockFile = join(dataDir, 'postmaster.pid');
  const deadline = performance.now() + SHUTDOWN_TIMEOUT_MS;
  while (existsSync(lockFile)) {
    const pid = Number(readFileSync(lockFile, 'utf8').split('\n', 1)[0]);
    if (!isPostgres(pid, dataDir)) return rm(lockFile, { force: true });
    if (performance.now() > deadline)
      throw new Error(
        `The folder ${dataDir} is in use by the PostgreSQL process ${pid}. Stop it, or choose another folder.`,
      );
    await delay(100);
  }
}

/** Returns whether the server with this pid accepts connections, according to its lock file. */
export function isReady(dataDir: string, pid: number): boolean {
  const lockFile = join(dataDir, 'postmaster.pid');
  if (!existsSync(lockFile)) return false;
  const lines = readFileSync(lockFile, 'utf8').split('\n');
  return lines[0] === `${pid}` && lines[7]?.trim() === 'ready';
}

function isPostgres(pid: number, dataDir: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  const commandLine = commandLineOf(pid);
  return commandLine.includes('postgres') && commandLine.includes(dataDir);
}
