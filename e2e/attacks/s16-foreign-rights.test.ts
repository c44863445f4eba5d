import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { waitFor } from '@billing/testing/wait-for';
import { connect } from '@nats-io/transport-node';
import { DatabaseError, type Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { addressOf, readSecrets, superuserUrl, withClient } from '../system/servers.ts';
import { newMonthlyPrice, newTenant } from '../system/tenant.ts';

/** PostgreSQL’s codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const INSUFFICIENT_PRIVILEGE = '42501';
const INVALID_PASSWORD = '28P01';

/** A table of the system's database. */
interface Table {
  readonly schema: string;
  readonly name: string;
  readonly owner: string;
}
let tables: readonly Table[];
beforeAll(async () => {
  const tenant = await newTenant();
  await newMonthlyPrice(tenant);
  tables = await withClient(await superuserUrl(), client =>
    waitFor(
      async () => {
        const schemas = [...SERVICES, 'auth', tenant.teamId];
        const { rows } = await client.query<Table>(
          `select schemaname as schema, tablename as name, tableowner as owner from pg_tables where schemaname = any($1)`,
          [schemas],
        );
        return new Set(rows.map(({ schema }) => schema)).size === schemas.length ? rows : undefined;
      },
      { what: 'the schema of the team’s objects' },
    ),
  );
});

const roleOf = (service: ServiceName): string => `billing_${service}`;
const passwordOf = async (service: ServiceName) => (await readSecrets()).rolePasswords[service];

/** The URL of the database for a service's role. */
const urlOf = async (service: ServiceName): Promise<string> =>
  `postgres://${roleOf(service)}:${await passwordOf(service)}@${await addressOf('postgres')}/billing`;

/** Runs a statement and returns the code with which PostgreSQL refuses it; undefined when it does not. */
async function refusalOf(client: Client, statement: string): Promise<string | undefined> {
  await client.query('begin');
  try {
    await client.query(statement);
    return undefined;
  } catch (err) {
    if (err instanceof DatabaseError) return err.code;
    throw err;
  } finally {
    await client.query('rollback');
  }
}

describe('NATS', () => {
  it('S16: NATS refuses a client without credentials, with a wrong password, or with another user’s', async () => {
    const servers = await addressOf('nats');
    const { natsPasswords } = await readSecrets();
    const wrong = [
      {},
      { user: '', pass: '' },
      { user: 'admin', pass: '' },
      { user: 'admin', pass: 'admin' },
      { user: 'nobody', pass: natsPasswords.portal },
      { token: natsPasswords.portal },
      ...['admin', ...SERVICES].map(user => ({ user, pass: 'wrong' })),
      ...['admin', ...SERVICES.filter(name => name !== 'portal')].map(user => ({ user, pass: natsPasswords.portal })),
    ];
    for (const credentials of wrong)
      await expect(connect({ servers, reconnect: false, ...credentials })).rejects.toThrow(/authorization/i);
  });
});

describe('PostgreSQL', () => {
  it('S16: PostgreSQL refuses a role without a password, with a wrong one, and with another role’s', async () => {
    const [address, portals] = [await addressOf('postgres'), await passwordOf('portal')];
    const roles = ['postgres', ...SERVICES.map(roleOf)];
    for (const role of roles)
      for (const password of ['wrong', ...(role === roleOf('portal') ? [] : [portals])])
        await expect(
          withClient(`postgres://${role}:${password}@${address}/billing`, async () => {}),
        ).rejects.toMatchObject({
          code: INVALID_PASSWORD,
        });
    for (const role of roles)
      await expect(withClient(`postgres://${role}@${address}/billing`, async () => {})).rejects.toThrow(/password/);
  });

  it('S16: a service’s role reads, writes and sees no table of another’s schema, in every pair', async () => {
    expect(new Set(tables.map(({ owner }) => owner))).toEqual(new Set(SERVICES.map(roleOf)));
    for (const service of SERVICES)
      await withClient(await urlOf(service), async client => {
        const [own, others] = [true, false].map(isOwn =>
          tables.filter(({ owner }) => (owner === roleOf(service)) === isOwn),
        );
        for (const { schema, name } of others ?? [])
          for (const statement of [
            `select from "${schema}"."${name}" limit 1`,
            `delete from "${schema}"."${name}"`,
            `lock table "${schema}"."${name}" in access share mode`,
          ])
            expect({ service, statement, code: await refusalOf(client, statement) }).toEqual({
              service,
              statement,
              code: INSUFFICIENT_PRIVILEGE,
            });
        expect(own?.length).toBeGreaterThan(0);
        for (const { schema, name } of own ?? [])
          expect(await refusalOf(client, `select from "${schema}"."${name}" limit 1`)).toBeUndefined();
        const { rows } = await client.query<{ schema: string }>(
          `select distinct table_schema as schema from information_schema.tables
            where table_schema not in ('pg_catalog', 'information_schema')`,
        );
        const visible = new Set(own?.map(({ schema }) => schema));
        expect(rows.filter(({ schema }) => !visible.has(schema) && !schema.startsWith('team_'))).toEqual([]);
      });
  });

  it('S16: the schemas of all teams’ objects are for one role alone', async () => {
    const { rows } = await withClient(await superuserUrl(), client =>
      client.query<{ schema: string; role: string }>(
        `select nspname as schema, rolname as role from pg_namespace, pg_roles
          where rolname = any($1) and nspname not in ('pg_catalog', 'information_schema')
            and (has_schema_privilege(rolname, nspname, 'usage') or has_schema_privilege(rolname, nspname, 'create'))
            and pg_get_userbyid(nspowner) <> rolname`,
        [SERVICES.map(roleOf)],
      ),
    );
    expect(rows).toEqual([]);
  });

  it('S16: a service’s role takes on no other role, makes no schema, reads no file and runs no program', async () => {
    for (const service of SERVICES)
      await withClient(await urlOf(service), async client => {
        const roles = ['postgres', ...SERVICES.filter(name => name !== service).map(roleOf)];
        const statements = [
          ...roles.flatMap(role => [`set role "${role}"`, `grant "${role}" to "${roleOf(service)}"`]),
          ...SERVICES.filter(name => name !== service).map(other => `create table "${other}".planted (id int)`),
          'create table public.planted (id int)',
          // webhooks makes a schema for each team.
          ...(service === 'webhooks' ? [] : ['create schema planted']),
          'create role planted',
          `alter role "${roleOf(service)}" superuser`,
          `select pg_read_file('/etc/passwd')`,
          `copy (select 1) to '/tmp/planted'`,
          `copy (select 1) to program 'true'`,
          `create function pg_temp.planted() returns int language c as 'x', 'y'`,
          'select rolpassword from pg_authid',
        ];
        for (const statement of statements)
          expect({ service, statement, code: await refusalOf(client, statement) }).toEqual({
            service,
            statement,
            code: INSUFFICIENT_PRIVILEGE,
          });
        // These run in no transaction.
        for (const statement of ['create database planted', 'alter system set log_statement = none'])
          await expect(client.query(statement), statement).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
      });
  });
});
