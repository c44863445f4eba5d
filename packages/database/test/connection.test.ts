import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { createTestDatabase } from '@billing/testing/database';
import { certificate, startTlsPostgres } from '@billing/testing/tls-servers';
import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { postgresConnection, requirePostgresVersion, unprotectedPostgres } from '../src/connection.ts';
import { migrate, openDatabase } from '../src/database.ts';
import { provisionService } from '../src/provision.ts';
import { Note } from './note.entity.ts';

const server = await startTlsPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const urlOf = (query: string, host = 'localhost') =>
  `postgres://postgres:${server.password}@${host}:${server.port}/postgres${query}`;
const CA = `sslrootcert=${certificate('ca.crt')}`;
const OTHER_CA = `sslrootcert=${certificate('other-ca.crt')}`;

/** Returns whether a connection is encrypted, and whose certificate its client has. */
async function connectionBy(url: string): Promise<{ ssl: boolean; client: string | null } | undefined> {
  const client = new Client(postgresConnection(url));
  try {
    await client.connect();
    const sql = 'select ssl, client_dn as client from pg_stat_ssl where pid = pg_backend_pid()';
    return (await client.query<{ ssl: boolean; client: string | null }>(sql)).rows[0];
  } finally {
    await client.end();
  }
}

it.each([
  ['', 'localhost', false],
  ['?sslmode=disable', 'localhost', false],
  ['?sslmode=require', '127.0.0.1', true],
  [`?sslmode=require&${CA}`, '127.0.0.1', true],
  [`?sslmode=verify-ca&${CA}`, '127.0.0.1', true],
  [`?sslmode=verify-full&${CA}`, 'localhost', true],
])('connects with %s to %s', async (query, host, ssl) => {
  expect(await connectionBy(urlOf(query, host))).toEqual({ ssl, client: null });
});

it('shows the certificate of the client', async () => {
  const own = `sslcert=${certificate('client.crt')}&sslkey=${certificate('client.key')}`;
  expect(await connectionBy(urlOf(`?sslmode=verify-full&${CA}&${own}`))).toEqual({ ssl: true, client: '/CN=postgres' });
});

it.each([
  [`?sslmode=require&${OTHER_CA}`, 'localhost', 'certificate'],
  [`?sslmode=verify-ca&${OTHER_CA}`, 'localhost', 'certificate'],
  [`?sslmode=verify-full&${OTHER_CA}`, 'localhost', 'certificate'],
  ['?sslmode=verify-full', 'localhost', 'certificate'],
  [`?sslmode=verify-full&${CA}`, '127.0.0.1', "IP: 127.0.0.1 is not in the cert's list"],
])('does not connect with %s to %s', async (query, host, reason) => {
  await expect(connectionBy(urlOf(query, host))).rejects.toThrow(reason);
});

it.each(['require', `verify-ca&${CA}`, `verify-full&${CA}`])(
  'uses no server without TLS with sslmode=%s',
  async mode => {
    await using plain = await createTestDatabase('catalog');
    await using database = disposable(`${plain.url}?sslmode=${mode}`);
    await expect(migrate(database.opened)).rejects.toThrow('The server does not support SSL connections');
  },
);

it('provisions and opens the schema of a service over TLS, and says why it can not', async () => {
  const url = await provisionService(urlOf(`?sslmode=verify-full&${CA}`), { service: 'catalog', password: 'p@ss' });
  await using database = disposable(url);
  await migrate(database.opened);
  const sql = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
  expect(await database.opened.em.execute(sql)).toEqual([{ ssl: true }]);

  await using mistaken = disposable(url.replace('localhost', '127.0.0.1'));
  await expect(migrate(mistaken.opened)).rejects.toThrow(
    /^Cannot use PostgreSQL at 127\.0\.0\.1:.*Hostname\/IP does not/,
  );
});

it.each([
  ['channel_binding=require&sslmode=require', 'channel_binding is not used: remove it; sslmode=verify-full protects'],
  ['target_session_attrs=read-write', 'target_session_attrs is not used: remove it, and name one address'],
  ['options=-c%20statement_timeout%3D1', 'options is not used: remove it, and set what it has for the role'],
  ['host=/var/run/postgresql', 'host is not used: name the host before the path'],
  ['sslmode=allow', 'sslmode=allow would go on without TLS'],
  ['sslmode=prefer', 'sslmode=prefer would go on without TLS'],
  ['sslmode=Require', 'sslmode=Require is unknown'],
  ['sslmode=', 'sslmode= is unknown'],
  ['sslmode=disable&sslmode=require', 'the parameter sslmode stands there twice'],
  ['ssl=true', 'the parameter ssl is not used'],
  ['sslmode=require&sslcrl=/x', 'the parameter sslcrl is not used'],
  ['application_name=x', 'the parameter application_name is not used'],
  [CA, 'sslrootcert would not be used'],
  [`sslmode=disable&${CA}`, 'sslrootcert would not be used'],
  ['sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
  ['sslmode=verify-ca&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
  ['sslmode=require&sslcert=/x', 'sslcert and sslkey need each other'],
  ['sslcert=/x&sslkey=/y', 'sslcert and sslkey would not be used'],
  ['sslmode=verify-full&sslrootcert=/nowhere/ca.crt', "The file /nowhere/ca.crt of sslrootcert can't be read"],
  [`sslmode=verify-full&sslrootcert=${import.meta.filename}`, 'is not in PEM form'],
])('refuses %s', (query, reason) => {
  expect(() => postgresConnection(`postgres://db.example.com/billing?${query}`)).toThrow(reason);
});

it.each([
  'postgres://user:secret@a:5432,b:5432/billing',
  'postgres://user:secret@a,b/billing',
  'postgres://user:secret@/billing?host=/var/run/postgresql',
  'postgres:///billing',
  'https://db.example.com/billing',
  'db.example.com',
])('says how a URL must be instead of %s, and not what it has', url => {
  expect(() => postgresConnection(url)).toThrow(/^The URL of PostgreSQL is not like .* Name one host/);
  expect(() => postgresConnection(url)).not.toThrow('secret');
});

it('connects over a socket, without a warning', async () => {
  const { port, socketFolder, password } = server;
  const url = `postgres://postgres:${password}@${encodeURIComponent(socketFolder)}:${port}/postgres`;
  expect(unprotectedPostgres(url)).toBeUndefined();
  await using database = disposable(url);
  const sql = 'select inet_server_addr() as address';
  expect(await database.opened.em.execute(sql)).toEqual([{ address: null }]);
});

it('refuses a pooler that drops settings, unless the role has them', async () => {
  await using direct = await createTestDatabase('catalog');
  await using pooler = await startDroppingPooler(direct.url);
  await using database = disposable(pooler.url);
  await migrate(database.opened);

  const admin = new Client(postgresConnection(direct.adminUrl));
  await admin.connect();
  await admin.query(`alter role billing_catalog in database ${new URL(direct.url).pathname.slice(1)} reset all`);
  await admin.end();
  await using without = disposable(pooler.url);
  await expect(migrate(without.opened)).rejects.toThrow(
    /drops search_path, statement_timeout, lock_timeout, idle_in_transaction_session_timeout\. Connect to/,
  );
});

it('reads every part of a URL', () => {
  expect(postgresConnection('postgresql://us%40er:p%2Fw@[::1]:6432/my%20db')).toMatchObject({
    host: '::1',
    port: 6432,
    user: 'us@er',
    password: 'p/w',
    database: 'my db',
    ssl: false,
  });
  expect(postgresConnection('postgres://db.example.com')).toMatchObject({ host: 'db.example.com', port: 5432 });
});

it('warns about a server elsewhere without TLS, unless that is meant', () => {
  const warningOf = (rest: string) => unprotectedPostgres(`postgres://u:secret@${rest}`);
  expect(warningOf('db.example.com:5432/x')).toMatch(/^PostgreSQL at db\.example\.com:5432 is used without TLS/);
  for (const rest of ['localhost/x', '127.0.0.1:5432/x', '[::1]/x', 'db.example.com/x?sslmode=disable'])
    expect(warningOf(rest)).toBeUndefined();
});

it('refuses a server on which statements of the services fail', () => {
  const requireVersion = (version: number) => () => requirePostgresVersion(version, 'postgres://db.example.com:5432/x');
  expect(requireVersion(180_000)).not.toThrow();
  expect(requireVersion(170_006)).toThrow(
    'PostgreSQL at db.example.com:5432 has version 17. Install PostgreSQL 18 or newer.',
  );
});

/** Starts what passes connections on without the settings that they ask for, as a pooler does that is told to ignore them. */
async function startDroppingPooler(url: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const pooler = createServer(client => {
    client.once('data', (startup: Buffer) => {
      const given = startup.toString('utf8', 8).split('\0');
      const kept = ['user', 'database'].flatMap(name => [name, given[given.indexOf(name) + 1]]);
      const body = Buffer.from(`${kept.join('\0')}\0\0`);
      const head = Buffer.alloc(8);
      head.writeInt32BE(head.length + body.length);
      startup.copy(head, 4, 4, 8);
      const target = connect(Number(new URL(url).port), '127.0.0.1');
      for (const socket of [client, target]) socket.on('error', () => undefined);
      target.write(Buffer.concat([head, body]));
      client.pipe(target).pipe(client);
    });
  });
  await once(pooler.listen(0, '127.0.0.1'), 'listening');
  const { port } = pooler.address() as AddressInfo; // it listens on TCP
  return {
    url: Object.assign(new URL(url), { port }).href,
    [Symbol.asyncDispose]: async () => void pooler.close(),
  };
}

function disposable(url: string) {
  const opened = openDatabase({ service: 'catalog', url, entities: [Note], migrations: [] });
  return { opened, [Symbol.asyncDispose]: () => opened.close() };
}
