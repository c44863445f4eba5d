import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@billing/contracts/operation';
import { grantDatabase, provisionService, withRole } from '@billing/database/provision';
import type { Client } from 'pg';
import { withDatabase, withSharedClient } from './cluster.ts';
import { ensureTemplate, ROLE_PASSWORD, withProvisioningLock, type TemplateSchema } from './database-template.ts';
import { testServerUrls } from './server-urls.ts';

export interface TestDatabase extends AsyncDisposable {
  /** URL of the service's own role, which sees only its own schema. */
  url: string;
  /** URL of the superuser for the same database. */
  adminUrl: string;
  /** Adds another service's role and schema to this database. Returns that role's URL. */
  provision(service: ServiceName): Promise<string>;
  /** Drops the database and ends its open connections. */
  drop(): Promise<void>;
}

/**
 * Creates a database for one test, with the service's role and schema provisioned as in production. With `schema`, its
 * migrations have run. The database is a copy of a template that the first test of the cluster creates.
 */
export async function createTestDatabase(service: ServiceName, schema?: TemplateSchema): Promise<TestDatabase> {
  const clusterUrl = testServerUrls().databaseUrl;
  const template = await ensureTemplate(clusterUrl, service, schema);
  const name = `test_${service}_${randomBytes(5).toString('hex')}`;
  const adminUrl = withDatabase(clusterUrl, name);

  const drop = () =>
    withSharedClient(clusterUrl, async client => {
      await untilUnused(client, name);
      await client.query(`drop database if exists ${name} with (force)`);
    });

  await withSharedClient(clusterUrl, async client => {
    await client.query(`create database ${name} template ${template} strategy file_copy`);
    await grantDatabase(client, service, name);
  });
  return {
    url: withRole(adminUrl, service, ROLE_PASSWORD),
    adminUrl,
    provision: other =>
      withProvisioningLock(clusterUrl, () => provisionService(adminUrl, { service: other, password: ROLE_PASSWORD })),
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

/** Waits a moment for connections that are being closed: PostgreSQL would end them, and look again after 100 ms only. */
async function untilUnused(client: Client, database: string): Promise<void> {
  for (let looks = 0; looks < 10; looks += 1) {
    const { rowCount } = await client.query('select from pg_stat_activity where datname = $1 limit 1', [database]);
    if (rowCount === 0) return;
    await delay(5);
  }
}
