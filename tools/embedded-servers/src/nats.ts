import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findNatsServer } from './nats-binary.ts';
import type { ProcessGuard } from './process-guard.ts';
import { type RunningServer, type ServerCommand, startServerProcess, untilReady } from './server-process.ts';

export interface NatsOptions {
  /** JetStream's storage folder. Created when absent, reused otherwise. */
  storeDir: string;
  logFile: string;
  /** Password of the only user, `billing`; letters and digits. */
  password: string;
  /** The `accounts` of the configuration, in place of the only user. */
  accounts?: string;
  guard: ProcessGuard;
  /** The cluster that the server is one of; none by default. */
  cluster?: NatsCluster;
  /** Aborts the start. */
  signal?: AbortSignal;
  /** Default: a free port that the server chooses. */
  port?: number;
  /** Default: {@link findNatsServer}. */
  binary?: string;
  /** `false` for tests: a crash of the machine may lose the last seconds of messages. Default true. */
  durable?: boolean;
  report?: (line: string) => void;
}

/** A server's place in a cluster. */
export interface NatsCluster {
  /** Of this server; unique in the cluster. */
  readonly serverName: string;
  /** Where this server listens for the others. */
  readonly port: number;
  /** Where all of them listen for each other. */
  readonly ports: readonly number[];
}

const USER = 'billing';
const START_TIMEOUT_MS = 30_000;

/**
 * Starts nats-server with JetStream on 127.0.0.1. Without `accounts` it has one user, whose credentials are in `url`.
 * Resolves once the server listens.
 * @throws an error with the last lines of the log when the server does not start
 */
export async function startNats(options: NatsOptions): Promise<RunningServer> {
  const { logFile, password, guard, cluster, signal, durable = true, report } = options;
  const storeDir = resolve(options.storeDir);
  const binary = options.binary ?? (await findNatsServer(report === undefined ? {} : { report }));
  await mkdir(storeDir, { recursive: true, mode: 0o700 });
  // Version 2.9, which some distributions ship, rejects this setting as unknown.
  const syncAlways = durable && (await minorVersion(binary)) >= 10;

  await removePortFiles(storeDir);

  const configFile = join(storeDir, 'nats-server.conf');
  const chosenByServer = -1;
  const access = options.accounts ?? `authorization { user: ${USER}, password: ${JSON.stringify(password)} }`;
  await writeFile(
    configFile,
    configuration({ port: options.port ?? chosenByServer, storeDir, access, syncAlways, cluster }),
    {
      mode: 0o600,
    },
  );
  const command: ServerCommand = {
    name: 'NATS',
    command: binary,
    args: ['-c', configFile],
    // Above this it collects garbage earlier; of a long backlog it had up to 320 MiB otherwise.
    env: { PATH: process.env['PATH'], GOMEMLIMIT: '200MiB' },
    logFile,
    signals: { first: 'SIGTERM', later: 'SIGKILL' },
    stopTimeoutMs: 10_000,
    guard,
  };
  const server = await startServerProcess(command);
  try {
    const port = await untilReady(server, command, () => readPort(storeDir, server.pid), {
      timeoutMs: START_TIMEOUT_MS,
      signal,
    });
    return { ...server, port, url: `nats://${options.accounts ? '' : `${USER}:${password}@`}127.0.0.1:${port}` };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function configuration(values: {
  port: number;
  storeDir: string;
  access: string;
  syncAlways: boolean;
  cluster: NatsCluster | undefined;
}): string {
  const { port, storeDir, access, syncAlways, cluster } = values;
  return [
    `listen: "127.0.0.1:${port}"`,
    // A webhook body may be 1 MiB, which is the server's default limit for a whole message.
    'max_payload: 4MB',
    `ports_file_dir: ${JSON.stringify(storeDir)}`,
    // Streams reserve their maximum size; by default the server rejects reservations above the free disk space.
    `jetstream { store_dir: ${JSON.stringify(storeDir)}, max_file_store: 1PB${syncAlways ? ', sync_interval: always' : ''} }`,
    ...(cluster ? clusterLines(cluster) : []),
    access,
    '',
  ].join('\n');
}

function clusterLines({ serverName, port, ports }: NatsCluster): string[] {
  const routes = ports.map(other => `"nats-route://127.0.0.1:${other}"`);
  return [
    `server_name: ${JSON.stringify(serverName)}`,
    `cluster { name: "billing", listen: "127.0.0.1:${port}", routes: [${routes.join(', ')}] }`,
  ];
}

/** Returns the minor version: 9 for v2.9.10. */
async function minorVersion(binary: string): Promise<number> {
  const { stdout } = await promisify(execFile)(binary, ['--version']);
  return Number(/v?\d+\.(\d+)/.exec(stdout)?.[1] ?? 0);
}

/** Returns the port from the file that the server writes once it listens; undefined until then. */
async function readPort(storeDir: string, pid: number): Promise<number | undefined> {
  const file = (await readdir(storeDir)).find(name => name.endsWith(`_${pid}.ports`));
  if (file === undefined) return undefined;
  const [, port] = /"(?:nats|tls):\/\/[^"]*:(\d+)"/.exec(await readFile(join(storeDir, file), 'utf8')) ?? [];
  return port === undefined ? undefined : Number(port);
}

/** A killed server leaves its ports file behind. */
async function removePortFiles(storeDir: string): Promise<void> {
  const files = (await readdir(storeDir)).filter(name => name.endsWith('.ports'));
  await Promise.all(files.map(name => rm(join(storeDir, name), { force: true })));
}
