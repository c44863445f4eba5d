import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { roleOf } from '@billing/database/provision';
import { StartError } from '@billing/database/start-error';
import { DATABASE, databaseUrlOf, natsUrls, type NatsUrls } from './backing-services.ts';
import { ensureMasterKeys } from './master-keys.ts';
import { pidsFile } from './pids-file.ts';
import { loadSecrets } from './secrets.ts';

/** Everything that a command of the operator may need to know about a system. */
export interface RunningSystem {
  /** Each URL connects a service's own role. */
  readonly databaseUrls: Readonly<Record<ServiceName, string>>;
  readonly natsUrls: NatsUrls;
  /** The HTTP address of each part that runs or should, by name. */
  readonly urls: Readonly<Record<string, string>>;
  /** In base64. */
  readonly serviceKeys: Readonly<Record<ServiceName, string>>;
}

/**
 * Describes the system that runs in this data folder.
 * @throws StartError when no system runs, or it uses an external PostgreSQL or NATS
 */
export function describeRunningSystem(dataDir: string): RunningSystem {
  const parts = readParts(dataDir);
  const { postgres, nats } = parts;
  if (!postgres || !nats)
    throw new StartError(`The system in ${dataDir} uses external servers. Set DATABASE_URL and NATS_URL.`);
  const secrets = loadSecrets(dataDir);
  const ownUrlOf = (service: ServiceName) =>
    `postgres://${roleOf(service)}:${secrets.rolePasswords[service]}@127.0.0.1:${postgres.port}/${DATABASE}`;
  return {
    databaseUrls: Object.fromEntries(SERVICES.map(service => [service, ownUrlOf(service)])) as Record<
      ServiceName,
      string
    >, // has every name
    natsUrls: natsUrls(nats.port, secrets),
    urls: Object.fromEntries(Object.entries(parts).map(([name, { url }]) => [name, url])),
    serviceKeys: secrets.serviceKeys,
  };
}

/**
 * Returns the URLs of PostgreSQL and NATS for one service of the system that runs in this data folder.
 * @throws StartError when no system runs, or it uses an external PostgreSQL or NATS
 */
export function findServers(dataDir: string, service: ServiceName): { databaseUrl: string; natsUrl: string } {
  const { databaseUrls, natsUrls: urls } = describeRunningSystem(dataDir);
  return { databaseUrl: databaseUrls[service], natsUrl: urls.services[service] };
}

/**
 * Returns the URL of PostgreSQL's superuser for the database of the system that runs in this data folder.
 * @throws StartError when no system runs, or it uses an external PostgreSQL
 */
export function findAdminUrl(dataDir: string): string {
  const { postgres } = readParts(dataDir);
  if (!postgres) throw new StartError(`The system in ${dataDir} uses an external PostgreSQL. Set ADMIN_DATABASE_URL.`);
  return databaseUrlOf(postgres.port, loadSecrets(dataDir).postgresPassword);
}

/**
 * Returns the variables that a service's command for operators needs in the system that runs in this data folder.
 * @throws StartError when no system runs, or it uses an external PostgreSQL or NATS
 */
export function findCommandVariables(dataDir: string, service: ServiceName): Readonly<Record<string, string>> {
  const { databaseUrl, natsUrl } = findServers(dataDir, service);
  return {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    ...(service === 'gateway' && { PUBLIC_URL: readPids(dataDir).publicUrl }),
    ...(service === 'webhooks' && { CREDENTIALS_KEYS: `file:${findMasterKeys(dataDir)}` }),
  };
}

const readParts = (dataDir: string) => readPids(dataDir).parts;

function readPids(dataDir: string) {
  const file = join(dataDir, 'pids.json');
  if (!existsSync(file))
    throw new StartError(`No system runs in ${dataDir}. Run npm start, or set the variables that name another one.`);
  return pidsFile.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Returns the file of the master keys in a data folder. */
export const findMasterKeys = (dataDir: string): string =>
  ensureMasterKeys(dataDir, loadSecrets(dataDir).credentialsKey);
