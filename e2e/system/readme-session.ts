import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Tenant } from './tenant.ts';

const README = join(import.meta.dirname, '../../README.md');

/** Returns the commands of a section of the README. */
async function commandsOf(section: string): Promise<string> {
  const readme = await readFile(README, 'utf8');
  const [, commands] = new RegExp(`## ${section}[\\s\\S]*?\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(readme) ?? [];
  return String(commands);
}

/**
 * Runs the curl session of the README as printed, in an empty folder; only the address differs. Returns what it printed.
 * @throws Error when one of its commands fails, or after a minute
 */
export async function runReadmeSession(gatewayUrl: string): Promise<string> {
  const script = (await commandsOf('A session with curl')).replace('http://localhost:8080', gatewayUrl);
  const folder = await mkdtemp(join(tmpdir(), 'billing-readme-'));
  try {
    const options = { cwd: folder };
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the commands with which the README takes over an account, for a tenant. Returns what they printed.
 * @throws Error when one of them fails, or after two minutes
 */
export async function runReadmeSync({ gatewayUrl, secret, teamId, projectId }: SyncedTenant): Promise<string> {
  const script = (await commandsOf('You already use Stripe'))
    .replace('bil_…', secret)
    .replaceAll('team_…', teamId)
    .replaceAll('proj_…', `${projectId} --url ${gatewayUrl}`);
  const options = { cwd: join(README, '..') };
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
}

type SyncedTenant = Pick<Tenant, 'gatewayUrl' | 'secret' | 'teamId' | 'projectId'>;
