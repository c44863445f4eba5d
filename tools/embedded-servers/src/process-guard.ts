import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The signals that end a process: the gentle one, and the one that follows when it did not help. */
export interface EndingSignals {
  first: 'SIGTERM' | 'SIGINT';
  later: 'SIGQUIT' | 'SIGKILL';
}

export interface ProcessGuard {
  /** From now on the process `pid` ends when this process does. */
  watch(pid: number, signals: EndingSignals): void;
  /** To be called when `pid` has exited, so that a stranger who gets the same id is left in peace. */
  forget(pid: number): void;
  /** Lets the guard go. Whatever is still watched is ended. */
  close(): void;
}

/**
 * Starts a guard: a shell of its own session that outlives this process and ends every watched process
 * once this one is gone, even by SIGKILL. It notices by the end of its input, so nothing is polled.
 */
export function startProcessGuard(): ProcessGuard {
  const script = fileURLToPath(new URL('process-guard.sh', import.meta.url));
  const guard = spawn('/bin/sh', [script], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  // A guard that was killed must not take its owner along.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  // The pipe alone must not keep a finished owner alive; the stream is a socket, typed as a plain Writable.
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();

  return {
    watch: (pid, { first, later }) => void guard.stdin.write(`watch ${pid} ${first.slice(3)} ${later.slice(3)}\n`),
    forget: pid => void guard.stdin.write(`forget ${pid}\n`),
    close: () => void guard.stdin.end(),
  };
}
