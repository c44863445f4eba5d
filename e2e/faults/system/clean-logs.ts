import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tenant } from '../../system/tenant.ts';

/** Every address that the tests make up. */
const ADDRESS = /[\w.+-]+@example\.com/;

/**
 * Requires that no log of a system has a secret of these tenants, or a person's address, whatever failed meanwhile.
 * @throws Error with the first lines that have one
 */
export async function requireCleanLogs(dataDir: string, tenants: readonly Tenant[]): Promise<void> {
  const secrets = tenants.flatMap(tenant => [
    tenant.secret,
    tenant.secretKey,
    tenant.webhookSecret,
    tenant.credentials.password,
  ]);
  const isUnclean = (line: string) => ADDRESS.test(line) || secrets.some(secret => line.includes(secret));
  const folder = join(dataDir, 'logs');
  const unclean: string[] = [];
  for (const file of await readdir(folder)) {
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
    unclean.push(...lines.filter(isUnclean).map(line => `${file}: ${line.slice(0, 500)}`));
  }
  if (unclean.length > 0)
    throw new Error(`${unclean.length} lines of logs have a secret or an address:\n${unclean.slice(0, 5).join('\n')}`);
}
