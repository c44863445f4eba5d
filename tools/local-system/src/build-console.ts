import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A cached build takes a fraction of this. */
const REPORTED_AFTER_MS = 700;

/**
 * Builds the console, unless it was built from the same sources before. A failure is reported and the start goes on: the
 * gateway then shows how to build it, and the API needs none.
 */
export async function buildConsole(root: string, report: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  const turbo = join(root, 'node_modules/turbo/bin/turbo');
  const args = [turbo, 'run', 'build', '--filter=@billing/console', '--ui=stream', '--output-logs=errors-only'];
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' };
  try {
    await promisify(execFile)(process.execPath, args, { cwd: root, env });
    const ms = performance.now() - startedAt;
    if (ms > REPORTED_AFTER_MS) report(`console built in ${(ms / 1_000).toFixed(1)} s`);
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    report(`The console could not be built; the API works without it.\n${output.trim()}`);
  }
}
