import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const README = join(import.meta.dirname, '../../README.md');

/**
 * Runs the curl session of the README as printed, in an empty folder; only the address differs. Returns what it printed.
 * @throws Error when one of its commands fails, or after a minute
 */
export async function runReadmeSession(gatewayUrl: string): Promise<string> {
  const readme = await readFile(README, 'utf8');
  const [, session] = /## A session with curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  const script = String(session).replace('http://localhost:8080', gatewayUrl);
  const folder = await mkdtemp(join(tmpdir(), 'billing-readme-'));
  try {
    const options = { cwd: folder, timeout: 60_000 };
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
