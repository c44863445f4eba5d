import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '@billing/contracts/operation';
import { roleOf } from '@billing/database/provision';
import { StartError } from '@billing/database/start-error';
import { DATABASE } from './backing-services.ts';
import { pidsFile } from './pids-file.ts';
import { loadSecrets } from './secrets.ts';

/**
 * Returns the URLs of PostgreSQL and NATS for one service of the system that runs in this data folder.
 * @throws StartError when no system runs, or it uses an external PostgreSQL or NATS
 */
export function findServers(dataDir: string, service: ServiceName): { databaseUrl: string; natsUrl: string } {
  const file = join(dataDir, 'pids.json');
  if (!existsSync(file))
    throw new StartError(`No system runs in ${dataDir}. Run npm start, or set DATABASE_URL and NATS_URL.`);
  const { parts } = pidsFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  const { postgres, nats } = parts;
  if (!postgres || !nats)
    throw new StartError(`The system in ${dataDir} uses external servers. Set DATABASE_URL and NATS_URL.`);
  const { rolePasswords, natsPassword } = loadSecrets(dataDir);
  return {
    databaseUrl: `postgres://${roleOf(service)}:${rolePasswords[service]}@127.0.0.1:${postgres.port}/${DATABASE}`,
    natsUrl: `nats://billing:${natsPassword}@127.0.0.1:${nats.port}`,
  };
}
