import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EndingSignals, ProcessGuard } from './process-guard.ts';

/** A server in a child process. */
export interface RunningServer {
  /** The URL for clients, with credentials. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves with a short reason ("exit code 1", "signal SIGKILL") when the process has exited. */
  readonly exited: Promise<string>;
  /** Stops the process and waits for its exit; does nothing when it has exited. */
  stop(): Promise<void>;
}

export interface ServerCommand {
  name: string;
  command: string;
  args: readonly string[];
  /** Default `/`, so that the server does not depend on the caller's folder. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number | undefined;
  gid?: number | undefined;
  /** The process appends its output here; the folder is created. */
  logFile: string;
  signals: EndingSignals;
  /** Time between the first and the later signal, in milliseconds. */
  stopTimeoutMs: number;
  guard: ProcessGuard;
}

export type ServerProcess = Omit<RunningServer, 'url' | 'port'>;

/**
 * Starts a process that writes its output to a log file. It runs in its own session, so that Ctrl-C in the terminal
 * reaches only this process, which then stops its children in order.
 * @throws when the process cannot be started
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
  let hasExited = false;
  child.once('exit', (code, signal) => {
    hasExited = true;
    command.guard.forget(pid);
    resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
  });
  command.guard.watch(pid, command.signals);

  const stop = async () => {
    if (hasExited) return;
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
 * Polls `probe` until it returns a truthy value, and returns that value.
 * @throws an error with the last lines of the log when the process exits first or `timeoutMs` has passed; the abort
 * reason when `signal` is aborted
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
    const result = await probe();
    if (result) return result;
    const problem =
      exit.reason === undefined ? `was not ready after ${timeoutMs / 1000} s` : `ended with ${exit.reason}`;
    if (exit.reason !== undefined || performance.now() > deadline)
      throw new Error(`${name} ${problem}. Its log ${logFile} ends with:\n${await lastLines(logFile, 10)}`);
    await delay(25);
  }
}

/** Returns the last lines of a log file; empty when the file does not exist. */
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
