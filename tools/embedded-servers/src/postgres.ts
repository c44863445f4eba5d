import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from './free-port.ts';
import { choosePostgresAccount } from './postgres-account.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { clearStaleLock, createCluster, isReady, requireVersion } from './postgres-cluster.ts';
import type { ProcessGuard } from './process-guard.ts';
import { type RunningServer, type ServerCommand, startServerProcess, untilReady } from './server-process.ts';

export interface PostgresOptions {
  /** The cluster's data folder. Created when absent, reused otherwise. */
  dataDir: string;
  logFile: string;
  /** The superuser's password; for an existing folder, the one it was created with. */
  password: string;
  guard: ProcessGuard;
  /** Aborts the start. */
  signal?: AbortSignal;
  /** Default `postgres`. */
  user?: string;
  /** Default: a free port. */
  port?: number;
  /** Settings of the server beyond those that it always gets. */
  settings?: Readonly<Record<string, string | number>>;
  /** `false` for tests: faster, but a crash of the machine may lose data. Default true. */
  durable?: boolean;
}

const START_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 300;

/**
 * Starts PostgreSQL 18 on 127.0.0.1 with SCRAM authentication. Resolves once it accepts queries; `url` connects the
 * superuser to the database `postgres`.
 * @throws an error with the last lines of the log when the server does not start
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningServer> {
  const { logFile, password, guard, signal, user = 'postgres', durable = true } = options;
  const dataDir = resolve(options.dataDir);
  const binaries = await findPostgresBinaries();
  const account = choosePostgresAccount(dataDir, binaries.postgres);
  if (existsSync(dataDir)) requireVersion(dataDir);
  else await createCluster({ dataDir, initdb: binaries.initdb, account, user, password, durable });

  for (let attempt = 1; ; attempt++) {
    await clearStaleLock(dataDir);
    const port = options.port ?? (await findFreePort());
    const [program = binaries.postgres, ...args] = [
      ...account.prefix,
      binaries.postgres,
      ...flags(dataDir, port, durable, options.settings),
    ];
    const command: ServerCommand = {
      name: 'PostgreSQL',
      command: program,
      args,
      env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
      // With a prefix, setpriv changes the user, which requires root.
      ...(account.prefix.length === 0 ? { uid: account.uid, gid: account.gid } : {}),
      logFile,
      signals: { first: 'SIGINT', later: 'SIGQUIT' },
      stopTimeoutMs: 10_000,
      guard,
    };
    const server = await startServerProcess(command);
    const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
    try {
      await untilReady(server, command, async () => isReady(dataDir, server.pid) && (await respondsToQueries(url)), {
        timeoutMs: START_TIMEOUT_MS,
        signal,
      });
      return { ...server, url, port };
    } catch (error) {
      await server.stop();
      if (attempt === 5 || !isRetryable(error, options.port)) throw error;
      await delay(500 * attempt);
    }
  }
}

/**
 * Returns whether another attempt can succeed: another program took the port that we chose, or the workers of a killed
 * server still hold its shared memory.
 */
function isRetryable(error: unknown, fixedPort: number | undefined): boolean {
  const message = String(error);
  return message.includes('still in use') || (fixedPort === undefined && message.includes('could not bind'));
}

function flags(dataDir: string, port: number, durable: boolean, more: PostgresOptions['settings'] = {}): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    // Used as data comes in, so an idle system takes little of it.
    shared_buffers: '256MB',
    // The default is that of a rotating disk, for which reading a whole small table costs less than its index.
    random_page_cost: 1.1,
    // A local system does not benefit from extra worker processes, which cost memory.
    io_method: 'sync',
    max_logical_replication_workers: 0,
    jit: 'off',
    timezone: 'UTC',
    // A statement or a DETAIL line may contain customer data, so neither is logged.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', max_wal_size: '2GB' }),
    ...more,
  };
  return [
    '-D',
    dataDir,
    '-p',
    `${port}`,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/**
 * Returns whether the server accepts a query.
 * @throws when the password is wrong
 */
async function respondsToQueries(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '28P01')
      throw new Error(
        'PostgreSQL refused the password: the data folder was created with another one. Restore its secrets file, or remove the data folder to start afresh.',
        { cause: error },
      );
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
