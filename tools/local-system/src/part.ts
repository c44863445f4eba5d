import { existsSync, renameSync } from 'node:fs';
import type { ProcessGuard } from '@billing/embedded-servers/process-guard';
import { type ServerProcess, startServerProcess, untilReady } from '@billing/embedded-servers/server-process';
import { inheritedEnvironment } from './inherited-environment.ts';

/** One process of the system: what it is called, where it listens and how it is started. */
export interface Part {
  readonly name: string;
  readonly port: number;
  /** Without credentials. */
  readonly url: string;
  readonly logFile: string;
  /**
   * Starts it once; the promise is fulfilled when it is ready (or just alive, when no more is asked), and rejected, with
   * the process gone, when it is not.
   */
  launch(signal: AbortSignal, until: 'ready' | 'live'): Promise<ServerProcess>;
}

/** A part that is a Node program of this repository and answers `/health/ready` and `/health/live`. */
export interface NodeProgram {
  name: string;
  /** Absolute path of the file that node runs. */
  entry: string;
  args?: readonly string[];
  port: number;
  env: Readonly<Record<string, string>>;
  logFile: string;
}

/** Room for a service's own deadline for closing, which is 15 s. */
const STOP_TIMEOUT_MS = 17_000;
const READY_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 3_000;

export function nodePart(program: NodeProgram, { root, guard }: { root: string; guard: ProcessGuard }): Part {
  const { name, entry, args = [], port, env, logFile } = program;
  const url = `http://127.0.0.1:${port}`;
  const command = {
    name,
    command: process.execPath,
    args: [...NODE_FLAGS, entry, ...args],
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
      await untilReady(server, command, () => answersHealth(url, until), { timeoutMs: READY_TIMEOUT_MS, signal });
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  };
  return { name, port, url, logFile, launch };
}

/** Small heaps: a service of this size needs little, and there are nine of them on a laptop. */
const NODE_FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=32'];

/** Puts the log of the earlier start aside as `.previous`, so that what is shown of this one is its own. */
export function beginLog(logFile: string): void {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`);
}

async function answersHealth(url: string, question: 'ready' | 'live'): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health/${question}`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
