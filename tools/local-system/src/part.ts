import { existsSync, renameSync } from 'node:fs';
import { get } from 'node:http';
import type { ProcessGuard } from '@billing/embedded-servers/process-guard';
import { type ServerProcess, startServerProcess, untilReady } from '@billing/embedded-servers/server-process';
import { inheritedEnvironment } from './inherited-environment.ts';

/** One process of the system: its name, its address and how it is started. */
export interface Part {
  readonly name: string;
  readonly port: number;
  /** Without credentials. */
  readonly url: string;
  readonly logFile: string;
  /** Starts the process once and waits until it is ready or live. If that fails, the process is stopped. */
  launch(signal: AbortSignal, until: 'ready' | 'live'): Promise<ServerProcess>;
}

/** A Node program of this repository that serves `/health/ready` and `/health/live`. */
export interface NodeProgram {
  name: string;
  /** Absolute path of the main module. */
  entry: string;
  args?: readonly string[];
  /** The limit of its heap, in megabytes; 256 unless given, which is what V8 takes in a container with 512 MiB. */
  heapMegabytes?: number;
  port: number;
  env: Readonly<Record<string, string>>;
  logFile: string;
}

/** Longer than the ten seconds that a service has to close. */
const STOP_TIMEOUT_MS = 12_000;
const READY_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 3_000;

/** Describes a Node program as a part. */
export function nodePart(program: NodeProgram, { root, guard }: { root: string; guard: ProcessGuard }): Part {
  const { name, entry, args = [], heapMegabytes = 256, port, env, logFile } = program;
  const url = `http://127.0.0.1:${port}`;
  const command = {
    name,
    command: process.execPath,
    args: ['--enable-source-maps', `--max-old-space-size=${heapMegabytes}`, entry, ...args],
    cwd: root,
    env: { ...inheritedEnvironment(process.env), ...env },
    logFile,
    signals: { first: 'SIGTERM', later: 'SIGKILL' },
    stopTimeoutMs: STOP_TIMEOUT_MS,
    guard,
  } as const;
  const launch: Part['launch'] = async (signal, until) => {
    const server = await startServerProcess(command);
    try {
      await untilReady(server, command, () => isHealthy(url, until), { timeoutMs: READY_TIMEOUT_MS, signal });
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  };
  return { name, port, url, logFile, launch };
}

/** Renames the log of the previous start to `.previous`, so that each log covers one start. */
export function beginLog(logFile: string): void {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`);
}

/** Nine programs are asked forty times a second while they start: a refused `fetch` would cost them a fifth of their time. */
function isHealthy(url: string, check: 'ready' | 'live'): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = get(`${url}/health/${check}`, { agent: false, timeout: PROBE_TIMEOUT_MS }, response => {
    response.resume();
    response.on('close', () => resolve(response.statusCode === 200));
  });
  probe.on('timeout', () => probe.destroy());
  probe.on('error', () => resolve(false));
  return promise;
}
