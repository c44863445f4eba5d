import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EndingSignals, ProcessGuard } from './process-guard.ts';

/** A server in a process of its own. */
export interface RunningServer {
  /** Where clients connect, credentials included. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Fulfilled with a short reason ("exit code 1", "signal SIGKILL") when the process is gone. */
  readonly exited: Promise<string>;
  /** Stops it and waits until it is gone; harmless when it is gone already. */
  stop(): Promise<void>;
}

export interface ServerCommand {
  name: string;
  command: string;
  args: readonly string[];
  /** Default `/`: a server has no business with the folder of whoever starts it. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Where its output is appended; the folder is created. */
  logFile: string;
  signals: EndingSignals;
  /** How long the gentle signal may take before the other one follows, in milliseconds. */
  stopTimeoutMs: number;
  guard: ProcessGuard;
}

export type ServerProcess = Omit<RunningServer, 'url' | 'port'>;

/**
 * Starts a process whose output goes straight to its log file. It has a session of its own, so that Ctrl-C in
 * the terminal reaches only the owner, who stops its parts in order.
 */
export async function startServerProcess(command: ServerCommand): Promise<ServerProcess> {
  mkdirSync(dirname(command.logFile), { recursive: true });
  const log = openSync(command.logFile, 'a', 0o600);
  const child = spawn(command.command, command.args, {
    cwd: command.cwd ?? '/',
    detached: true,
    env: command.env ?? process.env,
    stdio: ['ignore', log, log],
    ...(command.uid === undefined ? {} : { uid: command.uid }),
    ...(command.gid === undefined ? {} : { gid: command.gid }),
  });
  closeSync(log);
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new Error(`${command.name} could not be started from ${command.command}.`, { cause });
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command.name} has no process id.`);

  const { promise: exited, resolve } = Promise.withResolvers<string>();
  let gone = false;
  child.once('exit', (code, signal) => {
    gone = true;
    command.guard.forget(pid);
    resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
  });
  command.guard.watch(pid, command.signals);

  const stop = async () => {
    if (gone) return;
    child.kill(command.signals.first);
    const timer = setTimeout(() => child.kill(command.signals.later), command.stopTimeoutMs);
    const lastTimer = setTimeout(() => child.kill('SIGKILL'), command.stopTimeoutMs + 5_000);
    await exited;
    clearTimeout(timer);
    clearTimeout(lastTimer);
  };
  return { pid, exited, stop };
}

/**
 * Waits until `probe` gives something truthy, and answers it.
 * @throws when the process exits first, or after `timeoutMs`, with the last lines of its log; or when `signal` is aborted.
 */
export async function untilReady<T>(
  server: ServerProcess,
  { name, logFile }: Pick<ServerCommand, 'name' | 'logFile'>,
  probe: () => Promise<T>,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  const exit: { reason?: string } = {};
  void server.exited.then(reason => (exit.reason = reason));
  for (;;) {
    signal?.throwIfAborted();
    const seen = await probe();
    if (seen) return seen;
    const problem =
      exit.reason === undefined ? `was not ready after ${timeoutMs / 1000} s` : `ended with ${exit.reason}`;
    if (exit.reason !== undefined || performance.now() > deadline)
      throw new Error(`${name} ${problem}. Its log ${logFile} ends with:\n${await lastLines(logFile, 10)}`);
    await delay(25);
  }
}

/** The last lines of a log file, for an error message; empty when there is no such file. */
export async function lastLines(file: string, count: number): Promise<string> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const length = Math.min(size, 16_384);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}
