import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@billing/contracts/operation';
import { provisionService } from '@billing/service/provision';
import { Client } from 'pg';
import { testServerUrls } from './servers.ts';

export interface TestDatabase extends AsyncDisposable {
  /** For the service: its own role, which sees its own schema only. */
  url: string;
  /** The superuser's, of the same database, for looking behind the service's back. */
  adminUrl: string;
  /** Adds another service's role and schema to this database, and answers that role's URL. */
  provision(service: ServiceName): Promise<string>;
  /** Removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** Roles belong to the whole cluster, so databases that are made at the same time must agree on their password. */
const ROLE_PASSWORD = 'test';
const PROVISIONING_LOCK = 727_001;

/** A fresh database, seen by no other test, in which the service's role and schema are provisioned as in production. */
export async function createTestDatabase(service: ServiceName): Promise<TestDatabase> {
  const clusterUrl = testServerUrls().databaseUrl;
  const name = `test_${service}_${randomBytes(5).toString('hex')}`;
  const adminUrl = withDatabase(clusterUrl, name);

  const provision = (owner: ServiceName) =>
    withProvisioningLock(clusterUrl, () => provisionService(adminUrl, { service: owner, password: ROLE_PASSWORD }));
  const drop = () =>
    withClient(clusterUrl, async client => {
      await client.query(`drop database if exists ${name} with (force)`);
    });

  await withClient(clusterUrl, client => client.query(`create database ${name}`));
  return { url: await provision(service), adminUrl, provision, drop, [Symbol.asyncDispose]: drop };
}

/** Roles are shared by the cluster: two tests altering one at a time, in different databases, would fail each other. */
function withProvisioningLock<T>(clusterUrl: string, work: () => Promise<T>): Promise<T> {
  return withClient(clusterUrl, async client => {
    await client.query('select pg_advisory_lock($1)', [PROVISIONING_LOCK]);
    return work();
  });
}

function withDatabase(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    // Ending the session releases its lock.
    await client.end();
  }
}
