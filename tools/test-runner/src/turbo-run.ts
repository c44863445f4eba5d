import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { ProcessGuard } from '@billing/embedded-servers/process-guard';
import type { TurboGroup } from './turbo-groups.ts';
import { REPORT_FILE } from './workspaces.ts';

export interface TurboRun {
  /** Resolves with the exit code; 1 when a signal ended the run. */
  readonly finished: Promise<number>;
  /** Ends turbo and all processes that it started. */
  readonly cancel: () => void;
}

/**
 * Builds and bundles all workspaces, as far as their sources have changed.
 * @throws Error with turbo's output
 */
export async function build(root: string): Promise<void> {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' };
  await promisify(execFile)('turbo', ['run', 'build', 'bundle', '--ui=stream', '--output-logs=errors-only'], {
    cwd: root,
    env,
  });
}

/**
 * Runs the `test` script of all workspaces of a group, even after a failure. The output is grouped by workspace, and each
 * workspace writes a report to {@link REPORT_FILE}.
 */
export function startTests(
  root: string,
  { turboArgs, concurrency }: TurboGroup,
  { env, guard }: { env: NodeJS.ProcessEnv; guard: ProcessGuard },
): TurboRun {
  const args = ['run', 'test', '--continue=always', '--env-mode=loose', '--ui=stream', '--log-order=grouped'];
  const vitestArgs = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT_FILE}`];
  // In its own process group: Ctrl-C reaches only the runner, which ends the tests before their servers.
  const child = spawn('turbo', [...args, `--concurrency=${concurrency}`, ...turboArgs, '--', ...vitestArgs], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) guard.watch(pid, { first: 'SIGTERM', later: 'SIGKILL' });

  const finished = once(child, 'exit').then(([code]) => {
    if (pid !== undefined) guard.forget(pid);
    return typeof code === 'number' ? code : 1;
  });
  const cancel = () => {
    if (pid !== undefined && child.exitCode === null) process.kill(-pid, 'SIGTERM');
  };
  return { finished, cancel };
}
