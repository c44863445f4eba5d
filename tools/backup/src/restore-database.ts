import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { provisionAll, roleOf, schemasOf } from '@billing/database/provision';
import { StartError } from '@billing/database/start-error';
import type { Client } from 'pg';
import { connectAdmin, serverMajorOf } from './admin-connection.ts';
import type { Manifest } from './manifest.ts';
import { findPostgresTools, runTool } from './postgres-tools.ts';
import { republishUnhandled, type Republished } from './republish-unhandled.ts';

interface RestoreOptions {
  /** Names the database and a role that may create roles and schemas. */
  readonly adminUrl: string;
  readonly passwordOf: (service: ServiceName) => string;
  /** The folder of the backup. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report: (line: string) => void;
}

/**
 * Restores a backup into a database that has none of the system's tables, with the roles and rights that provisioning gives.
 * Then makes due what must happen again: events that a consumer had not handled, and the reconciliation of every team.
 * @throws StartError when the database is not empty, services are connected to it, or a dump can't be restored
 */
export async function restoreDatabase(options: RestoreOptions): Promise<Republished> {
  const { adminUrl, passwordOf, folder, manifest, env, report } = options;
  const client = await connectAdmin(adminUrl);
  try {
    const postgres = await serverMajorOf(client);
    if (postgres < manifest.postgres)
      throw new StartError(
        `The backup is of PostgreSQL ${manifest.postgres}, and this server is ${postgres}. Restore into ${manifest.postgres} or newer.`,
      );
    const tools = await findPostgresTools(Math.max(postgres, manifest.pgDump), env);
    await requireEmpty(client);
    await provisionAll(adminUrl, passwordOf);
    for (const { file, schemas } of manifest.dumps) {
      // Provisioning has created these schemas; the others come with the dump.
      const only = schemas.map(schema => `--schema=${schema}`);
      const args = ['--exit-on-error', '--single-transaction', ...only, join(folder, file)];
      await runTool(tools.pgRestore, args, adminUrl);
      report(`${file} restored`);
    }
    await client.query('begin');
    const republished = await republishUnhandled(client, manifest.takenAt);
    await recordRestore(client, manifest.takenAt);
    await client.query('commit');
    // A dump has no statistics, and until PostgreSQL gathers them by itself, it reads whole tables.
    await client.query('analyze');
    return republished;
  } finally {
    await client.end();
  }
}

/** @throws StartError when there is anything that a restore would mix with the backup */
async function requireEmpty(client: Client): Promise<void> {
  const { rows: sessions } = await client.query<{ role: string }>(
    `select distinct usename as role from pg_stat_activity
      where datname = current_database() and usename = any($1) and pid <> pg_backend_pid()`,
    [SERVICES.map(roleOf)],
  );
  if (sessions.length > 0)
    throw new StartError(`${sessions.map(({ role }) => role).join(', ')} are connected: stop every service first.`);
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = any($1) or tableowner = $2 limit 1`,
    [SERVICES.flatMap(schemasOf), roleOf('webhooks')],
  );
  if (tables[0])
    throw new StartError(`The database is not empty, it has ${tables[0].name}: restore into a new database.`);
}

/** More events than a project can have had since the backup. */
const LOST_POSITIONS = 1_000_000;

/** Has every service know what it has lost, readers of events miss none, and every connected team scanned from the backup's time on. */
async function recordRestore(client: Client, takenAt: Date): Promise<void> {
  for (const service of SERVICES) {
    const table = `${client.escapeIdentifier(service)}.restores`;
    await client.query(`insert into ${table} (restored_at, taken_at) values (clock_timestamp(), $1)`, [takenAt]);
  }
  // Tenants have seen events from after the backup: what happens from now on has other ids, and positions behind theirs.
  await client.query(`update webhooks.event_positions set epoch = epoch + 1, position = position + ${LOST_POSITIONS}`);
  await client.query(
    `update webhooks.reconciliations set due_at = clock_timestamp(), lease_id = null, failures = 0
      where due_at <> 'infinity'`,
  );
}
