import { join } from 'node:path';
import { startNats } from '@billing/embedded-servers/nats';
import { startPostgres } from '@billing/embedded-servers/postgres';
import type { ProcessGuard } from '@billing/embedded-servers/process-guard';
import { connectBroker } from '@billing/messaging/connection';
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
    adminUrl: `postgres://postgres:${password}@127.0.0.1:${port}/${DATABASE}`,
  };
}

/** Describes the embedded NATS server. It keeps its port while the system runs. */
export async function natsPart(options: EmbeddedOptions): Promise<Part & { clientUrl: string }> {
  const { dataDir, password, guard, report, choosePort } = options;
  const port = await choosePort('nats');
  const logFile = join(dataDir, 'logs', 'nats.log');
  const launch = (signal: AbortSignal) =>
    startNats({ storeDir: join(dataDir, 'nats'), logFile, password, guard, port, signal, report });
  const clientUrl = `nats://billing:${password}@127.0.0.1:${port}`;
  return { name: 'nats', port, url: `nats://127.0.0.1:${port}`, logFile, launch, clientUrl };
}

/** Creates the system's database in the embedded cluster unless it exists. */
export async function ensureDatabase(adminUrl: string): Promise<void> {
  const maintenance = new URL(adminUrl);
  maintenance.pathname = '/postgres';
  const client = new Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (!rowCount) await client.query(`create database ${client.escapeIdentifier(DATABASE)}`);
  } finally {
    await client.end();
  }
}

/** @throws StartError that names the server and the variable when PostgreSQL can't be reached */
export async function requireDatabase(url: string, variable: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
  } catch (cause) {
    throw new StartError(
      `PostgreSQL at ${new URL(url).host} can't be reached: ${reasonOf(cause)}. Start it, or correct ${variable}.`,
      { cause },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/** @throws StartError that names the server and `NATS_URL` when NATS can't be reached */
export async function requireBroker(url: string): Promise<void> {
  const connection = await connectBroker(url, 'local-system');
  await connection.close();
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
