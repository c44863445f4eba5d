import { createHash } from 'node:crypto';
import type { ServiceName } from '@billing/contracts/operation';
import { migrate, openDatabase, type DatabaseOptions } from '@billing/database/database';
import { provisionService } from '@billing/database/provision';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Client } from 'pg';
import { withClient, withDatabase } from './cluster.ts';

/** The entities and migrations of a service, and what it makes in its tables after them. */
export interface TemplateSchema extends Pick<DatabaseOptions, 'entities' | 'migrations'> {
  readonly prepare?: (em: EntityManager, at: { readonly now: Date }) => Promise<void>;
}

/** Roles belong to the whole cluster, so all test databases use the same password. */
export const ROLE_PASSWORD = 'test';
const PROVISIONING_LOCK = 727_001;
/** Templates of older migrations are dropped after this time; a test run is over by then. */
const EXPIRES_AFTER = '1 day';

/** Templates that this process has found or created, by name. */
const ensured = new Map<string, Promise<string>>();

/**
 * Returns the name of the template database for a service and its migrations. The first process that needs it creates it;
 * others wait. A template whose creation was interrupted is created again.
 */
export function ensureTemplate(clusterUrl: string, service: ServiceName, schema?: TemplateSchema): Promise<string> {
  const name = `template_${service}_${hashOf(schema)}`;
  const known = ensured.get(name);
  if (known) return known;
  const creating = withProvisioningLock(clusterUrl, async client => {
    if (!(await isTemplate(client, name))) await createTemplate(client, clusterUrl, name, service, schema);
    return name;
  });
  ensured.set(name, creating);
  creating.catch(() => ensured.delete(name));
  return creating;
}

/** Runs `work` while no other test process provisions: two that alter the same role at the same time would fail. */
export function withProvisioningLock<T>(clusterUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  return withClient(clusterUrl, async client => {
    await client.query('select pg_advisory_lock($1)', [PROVISIONING_LOCK]);
    return work(client);
  });
}

async function createTemplate(
  client: Client,
  clusterUrl: string,
  name: string,
  service: ServiceName,
  schema: TemplateSchema | undefined,
): Promise<void> {
  await dropExpiredTemplates(client, service);
  await client.query(`drop database if exists ${name} with (force)`);
  await client.query(`create database ${name}`);
  const adminUrl = withDatabase(clusterUrl, name);
  const url = await provisionService(adminUrl, { service, password: ROLE_PASSWORD });
  if (schema) {
    const database = openDatabase({ service, url, ...schema });
    try {
      await migrate(database);
      await schema.prepare?.(database.em, { now: new Date() });
    } finally {
      await database.close();
    }
  }
  // A database can be copied only while nobody is connected to it. This also marks the template as complete.
  await client.query(`comment on database ${name} is '${new Date().toISOString()}'`);
  await client.query(`alter database ${name} with is_template true allow_connections false`);
}

async function isTemplate(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1 and datistemplate', [name]);
  return rowCount === 1;
}

/** Drops templates of earlier migrations, so that they do not pile up in a cluster that outlives the test run. */
async function dropExpiredTemplates(client: Client, service: ServiceName): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database
      where datname like $1 and datistemplate
        and shobj_description(oid, 'pg_database')::timestamptz < now() - $2::interval`,
    [`template\\_${service}\\_%`, EXPIRES_AFTER],
  );
  for (const { name } of rows) {
    await client.query(`alter database ${name} with is_template false`);
    await client.query(`drop database ${name} with (force)`);
  }
}

/** Hash of the names and the source of the migrations. Values that a migration imports are not part of it. */
function hashOf(schema: TemplateSchema | undefined): string {
  const hash = createHash('sha256');
  for (const migration of schema?.migrations ?? []) hash.update(`${migration.name}\n${migration.class.toString()}\n`);
  return hash.digest('hex').slice(0, 12);
}
