import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '@billing/contracts/operation';
import { roleOf } from '@billing/service/provision';
import { StartError } from '@billing/service/start-error';
import { DATABASE } from './backing.ts';
import { pidsFile } from './pids-file.ts';
import { loadSecrets } from './secrets.ts';

/**
 * Where the servers of the system that `npm start` runs over this data folder let a service's tools in.
 * @throws StartError when none runs, or it uses a PostgreSQL or NATS that is not its own
 */
export function findServers(dataDir: string, service: ServiceName): { databaseUrl: string; natsUrl: string } {
  const file = join(dataDir, 'pids.json');
  if (!existsSync(file))
    throw new StartError(`No system runs over ${dataDir}. Run npm start, or set DATABASE_URL and NATS_URL.`);
  const { parts } = pidsFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  const { postgres, nats } = parts;
  if (!postgres || !nats)
    throw new StartError(`The system over ${dataDir} uses servers of its owner's. Set DATABASE_URL and NATS_URL.`);
  const { rolePasswords, natsPassword } = loadSecrets(dataDir);
  return {
    databaseUrl: `postgres://${roleOf(service)}:${rolePasswords[service]}@127.0.0.1:${postgres.port}/${DATABASE}`,
    natsUrl: `nats://billing:${natsPassword}@127.0.0.1:${nats.port}`,
  };
}
