import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The signals that end a process: the first asks for a clean shutdown, the later one follows if it has no effect. */
export interface EndingSignals {
  first: 'SIGTERM' | 'SIGINT';
  later: 'SIGQUIT' | 'SIGKILL';
}

export interface ProcessGuard {
  /** Ends the process `pid` when this process exits. */
  watch(pid: number, signals: EndingSignals): void;
  /** Stops watching `pid`. Call it when `pid` has exited: another program may get the same id. */
  forget(pid: number): void;
  /** Ends every process that is still watched, and the guard. */
  close(): void;
}

/**
 * Starts a guard: a shell in its own session that ends every watched process when this process exits, even after
 * SIGKILL. The guard detects the exit by the end of its input, without polling.
 */
export function startProcessGuard(): ProcessGuard {
  const script = fileURLToPath(new URL('process-guard.sh', import.meta.url));
  const guard = spawn('/bin/sh', [script], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  // This process must survive when its guard is killed.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  // The pipe must not keep this process alive. The stream is a socket, although its type is Writable.
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();

  return {
    watch: (pid, { first, later }) => void guard.stdin.write(`watch ${pid} ${first.slice(3)} ${later.slice(3)}\n`),
    forget: pid => void guard.stdin.write(`forget ${pid}\n`),
    close: () => void guard.stdin.end(),
  };
}
