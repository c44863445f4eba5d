import { join, resolve } from 'node:path';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { databaseUrlsIn, databaseUrlVariable } from '@billing/service/service-databases';
import { StartError } from '@billing/database/start-error';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Returns the URL of each service's database, or of the one service that is wanted: from the environment, or else of the local
 * system that `npm start` runs.
 * @throws StartError when the wanted service's is not known, or no local system runs
 */
export async function findDatabases(
  source: NodeJS.ProcessEnv,
  only: ServiceName | undefined,
): Promise<ReadonlyMap<ServiceName, string>> {
  const wanted = only ? [only] : SERVICES;
  const given = databaseUrlsIn(source);
  if (given) {
    const chosen = new Map([...given].filter(([service]) => wanted.includes(service)));
    if (only && chosen.size === 0) throw new StartError(`${databaseUrlVariable(only)} is missing.`);
    return chosen;
  }
  // Imported here because containers don't have this development tool.
  const { findServers } = await import('@billing/local-system/running-system');
  const folder = resolve(ROOT, source['BILLING_DATA_DIR'] || '.data');
  return new Map(wanted.map(service => [service, findServers(folder, service).databaseUrl]));
}
