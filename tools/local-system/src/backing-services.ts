import { join } from 'node:path';
import { startNats } from '@billing/embedded-servers/nats';
import { startPostgres } from '@billing/embedded-servers/postgres';
import type { ProcessGuard } from '@billing/embedded-servers/process-guard';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { createStream } from '@billing/messaging/bus';
import { brokerAddress, connectTo } from '@billing/messaging/connection';
import { startTrimming, type TrimmingOptions } from '@billing/messaging/trim-stream';
import { natsAccounts, SERVICES_API, STREAM_ADMIN } from '@billing/messaging/nats-accounts';
import type { Secrets } from './secrets.ts';
import { postgresConnection, requirePostgresVersion } from '@billing/database/connection';
import { StartError } from '@billing/database/start-error';
import { Client } from 'pg';
import type { Part } from './part.ts';
import type { ChoosePort } from './stable-ports.ts';

/** The name of the system's database in the embedded cluster. */
export const DATABASE = 'billing';

export interface EmbeddedOptions {
  dataDir: string;
  password: string;
  guard: ProcessGuard;
  report: (line: string) => void;
  choosePort: ChoosePort;
}

/** Describes the embedded PostgreSQL. It keeps its port while the system runs. */
export async function postgresPart(options: EmbeddedOptions): Promise<Part & { adminUrl: string }> {
  const { dataDir, password, guard, choosePort } = options;
  const port = await choosePort('postgres');
  const logFile = join(dataDir, 'logs', 'postgres.log');
  const launch = (signal: AbortSignal) =>
    startPostgres({ dataDir: join(dataDir, 'postgres'), logFile, password, guard, port, signal });
  return {
    name: 'postgres',
    port,
    url: `postgres://127.0.0.1:${port}`,
    logFile,
    launch,
    adminUrl: databaseUrlOf(port, password),
  };
}

/** The URL of the embedded PostgreSQL's superuser for the system's database. */
export const databaseUrlOf = (port: number, password: string): string =>
  `postgres://postgres:${password}@127.0.0.1:${port}/${DATABASE}`;

/** Where one system's NATS is: for the user that creates the stream, and for each service's own user. */
export interface NatsUrls {
  readonly admin: string;
  readonly services: Readonly<Record<ServiceName, string>>;
}

/** The users of the embedded NATS server. */
type NatsSecrets = Pick<Secrets, 'natsPassword' | 'natsPasswords'>;

/** Describes the embedded NATS server, with a user for each service. It keeps its port while the system runs. */
export async function natsPart(options: EmbeddedOptions, secrets: NatsSecrets): Promise<Part & { urls: NatsUrls }> {
  const { dataDir, password, guard, report, choosePort } = options;
  const port = await choosePort('nats');
  const logFile = join(dataDir, 'logs', 'nats.log');
  const storeDir = join(dataDir, 'nats');
  const accounts = natsAccounts({
    admin: JSON.stringify(secrets.natsPassword),
    of: service => JSON.stringify(secrets.natsPasswords[service]),
  });
  const launch = (signal: AbortSignal) =>
    startNats({ storeDir, logFile, password, accounts, guard, port, signal, report });
  const url = `nats://127.0.0.1:${port}`;
  return { name: 'nats', port, url, logFile, launch, urls: natsUrls(port, secrets) };
}

/** The URLs of the embedded NATS server. */
export function natsUrls(port: number, { natsPassword, natsPasswords }: NatsSecrets): NatsUrls {
  const urlOf = (service: ServiceName) =>
    `nats://${service}:${natsPasswords[service]}@127.0.0.1:${port}?api=${SERVICES_API}`;
  return {
    admin: `nats://${STREAM_ADMIN}:${natsPassword}@127.0.0.1:${port}`,
    services: ofEachService(urlOf),
  };
}

/** The URLs of an external NATS server, whose one user all services share. */
export const sharedNatsUrl = (url: string): NatsUrls => ({ admin: url, services: ofEachService(() => url) });

const ofEachService = (urlOf: (service: ServiceName) => string): Record<ServiceName, string> =>
  Object.fromEntries(SERVICES.map(service => [service, urlOf(service)])) as Record<ServiceName, string>; // has every name

/** Creates the system's database in the embedded cluster unless it exists. */
export async function ensureDatabase(adminUrl: string): Promise<void> {
  const maintenance = new URL(adminUrl);
  maintenance.pathname = '/postgres';
  const client = new Client(postgresConnection(maintenance.href));
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (!rowCount) await client.query(`create database ${client.escapeIdentifier(DATABASE)}`);
  } finally {
    await client.end();
  }
}

/** @throws StartError that names the server when PostgreSQL is too old, and the variable too when it can't be reached */
export async function requireDatabase(url: string, variable: string): Promise<void> {
  const client = new Client({ ...postgresConnection(url), connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  let version = 0;
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    );
    version = rows[0]?.version ?? 0;
  } catch (cause) {
    throw new StartError(
      `PostgreSQL at ${new URL(url).host} can't be reached: ${reasonOf(cause)}. Start it, or correct ${variable}.`,
      { cause },
    );
  } finally {
    await client.end().catch(() => {});
  }
  requirePostgresVersion(version, url);
}

/**
 * Creates the stream of all events unless there is one, with so many replicas.
 * @throws StartError that names the server and `NATS_URL` when NATS can't be reached
 */
export async function provisionStream(url: string, replicas?: number): Promise<void> {
  const connection = await connectTo(brokerAddress(url), 'provision');
  await createStream(connection, undefined, { replicas }).finally(() => connection.close());
}

/**
 * Deletes handled events from the stream whenever it is half full, with the rights that no service has; `onStandstill` is called
 * when the stream does not respond for long. Returns a function that stops it.
 * @throws StartError when NATS can't be reached
 */
export async function keepStream(
  url: string,
  options: Pick<TrimmingOptions, 'report' | 'onStandstill'>,
): Promise<() => Promise<void>> {
  const connection = await connectTo(brokerAddress(url), 'stream-keeper');
  const stopTrimming = startTrimming(connection, options);
  return async () => {
    await stopTrimming();
    await connection.close();
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
