import { Client } from 'pg';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';

/** A role that owns one schema and can see no other. */
export const roleOf = (service: ServiceName): string => `billing_${service}`;

/** Serializes provisioning across processes: roles belong to the whole cluster. */
const PROVISIONING_LOCK = 7_231_905;

/**
 * Makes a service's role and schema, or brings them up to date; may run any number of times.
 * `adminUrl` names the database and a role that may create roles. Answers the URL of the service's own role.
 */
export async function provisionService(
  adminUrl: string,
  { service, password }: { service: ServiceName; password: string },
): Promise<string> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [PROVISIONING_LOCK]);
    const role = client.escapeIdentifier(roleOf(service));
    const schema = client.escapeIdentifier(service);
    const database = client.escapeIdentifier(databaseOf(adminUrl));
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [roleOf(service)]);
    if (!rowCount) await client.query(`create role ${role} login nosuperuser nocreatedb nocreaterole`);
    await client.query(`alter role ${role} password ${client.escapeLiteral(password)}`);
    await client.query(`alter role ${role} in database ${database} set search_path = ${schema}`);
    await client.query(`revoke all on database ${database} from public`);
    await client.query(`revoke all on schema public from public`);
    await client.query(`grant connect on database ${database} to ${role}`);
    await client.query(`grant ${role} to current_user`);
    await client.query(`create schema if not exists ${schema} authorization ${role}`);
    // The gateway keeps sign-in apart from its own tables; webhooks makes one schema per team.
    if (service === 'gateway') await client.query(`create schema if not exists auth authorization ${role}`);
    if (service === 'webhooks') await client.query(`grant create on database ${database} to ${role}`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.username = roleOf(service);
  url.password = password;
  return url.href;
}

/** Provisions every service; `passwordOf` gives each role its password. Answers each service's URL. */
export async function provisionAll(
  adminUrl: string,
  passwordOf: (service: ServiceName) => string,
): Promise<Record<ServiceName, string>> {
  const urls: Partial<Record<ServiceName, string>> = {};
  for (const service of SERVICES)
    urls[service] = await provisionService(adminUrl, { service, password: passwordOf(service) });
  return urls as Record<ServiceName, string>; // the loop has set every key
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
}
