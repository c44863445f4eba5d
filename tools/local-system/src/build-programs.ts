import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '@billing/database/start-error';

/** A cached build takes a fraction of this. */
const REPORTED_AFTER_MS = 700;

/**
 * Bundles the programs and builds the console, unless they were built from the same sources before.
 * @throws StartError with the output of the build
 */
export async function buildPrograms(root: string, report: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  const turbo = join(root, 'node_modules/turbo/bin/turbo');
  const filters = ['--filter=@billing/bundle', '--filter=@billing/console'];
  const args = [turbo, 'run', 'bundle', 'build', ...filters, '--ui=stream', '--output-logs=errors-only'];
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' };
  try {
    await promisify(execFile)(process.execPath, args, { cwd: root, env });
  } catch (cause) {
    const output = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : String(cause);
    throw new StartError(
      `The programs could not be built. Correct what the build reports, and start again.\n${output.trim()}`,
      { cause },
    );
  }
  const ms = performance.now() - startedAt;
  if (ms > REPORTED_AFTER_MS) report(`programs built in ${(ms / 1_000).toFixed(1)} s`);
}
