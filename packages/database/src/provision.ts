import { Client } from 'pg';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { postgresConnection } from './connection.ts';
import { SESSION_LIMITS } from './session-settings.ts';

/** Returns the name of a service's role, which owns one schema and can see no other. */
export const roleOf = (service: ServiceName): string => `billing_${service}`;

/** Returns the schemas of a service's own tables. The gateway stores sign-in data apart from the others. */
export const schemasOf = (service: ServiceName): readonly string[] =>
  service === 'gateway' ? [service, 'auth'] : [service];

/** For indexes that find parts of a text among the rows of one project. Both are part of PostgreSQL, and trusted. */
const EXTENSIONS = ['pg_trgm', 'btree_gin'] as const;

/** Advisory lock that serializes provisioning: roles belong to the whole cluster. */
const PROVISIONING_LOCK = 7_231_905;

/**
 * Creates a service's role and schema, or brings them up to date; may run any number of times. `adminUrl` names the
 * database and a role that may create roles. Returns the URL for the service's own role.
 */
export async function provisionService(
  adminUrl: string,
  { service, password }: { service: ServiceName; password: string },
): Promise<string> {
  await inProvisioning(adminUrl, client => createRole(client, { service, password, database: databaseOf(adminUrl) }));
  return withRole(adminUrl, service, password);
}

/** Runs `work` in a transaction, one at a time in the whole cluster. */
async function inProvisioning(adminUrl: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client(postgresConnection(adminUrl));
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [PROVISIONING_LOCK]);
    await work(client);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

interface NewRole {
  readonly service: ServiceName;
  readonly password: string;
  readonly database: string;
}

async function createRole(client: Client, { service, password, database }: NewRole): Promise<void> {
  const role = client.escapeIdentifier(roleOf(service));
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [roleOf(service)]);
  if (!rowCount) await client.query(`create role ${role} login nosuperuser nocreatedb nocreaterole`);
  await client.query(`alter role ${role} password ${client.escapeLiteral(password)}`);
  await client.query(`grant ${role} to current_user`);
  await grantDatabase(client, service, database);
  await client.query(`revoke all on schema public from public`);
  // In a schema that every role sees, for indexes of searched texts. Any other one would be another wall between roles less.
  for (const extension of EXTENSIONS)
    await client.query(`create extension if not exists ${extension} schema pg_catalog`);
  for (const schema of schemasOf(service))
    await client.query(`create schema if not exists ${client.escapeIdentifier(schema)} authorization ${role}`);
}

/**
 * Gives a service's role access to a database. This is the part of provisioning that PostgreSQL does not copy when the
 * database is a template of another. `client` may be connected to any database of the cluster.
 */
export async function grantDatabase(client: Client, service: ServiceName, name: string): Promise<void> {
  const role = client.escapeIdentifier(roleOf(service));
  const database = client.escapeIdentifier(name);
  // The webhooks service creates one schema per team.
  const privileges = service === 'webhooks' ? 'connect, create' : 'connect';
  const limits = Object.entries(SESSION_LIMITS).map(
    ([limit, ms]) => `alter role ${role} in database ${database} set ${limit} = ${ms};`,
  );
  await client.query(`
    ${limits.join('')}
    alter role ${role} in database ${database} set search_path = ${client.escapeIdentifier(service)};
    revoke all on database ${database} from public;
    grant ${privileges} on database ${database} to ${role}`);
}

/** Returns the URL with which a service's role opens the database of `adminUrl`. */
export function withRole(adminUrl: string, service: ServiceName, password: string): string {
  const url = new URL(adminUrl);
  url.username = roleOf(service);
  url.password = password;
  return url.href;
}

/** Provisions every service; `passwordOf` returns each role's password. Returns each service's URL. */
export async function provisionAll(
  adminUrl: string,
  passwordOf: (service: ServiceName) => string,
): Promise<Record<ServiceName, string>> {
  const database = databaseOf(adminUrl);
  await inProvisioning(adminUrl, async client => {
    for (const service of SERVICES) await createRole(client, { service, password: passwordOf(service), database });
  });
  const urls = SERVICES.map(service => [service, withRole(adminUrl, service, passwordOf(service))]);
  return Object.fromEntries(urls) as Record<ServiceName, string>; // has every service
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
}
