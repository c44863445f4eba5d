import { createTestDatabase } from '@billing/testing/database';
import { certificate, startTlsPostgres } from '@billing/testing/tls-servers';
import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { postgresConnection, unprotectedPostgres } from '../src/connection.ts';
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

function disposable(url: string) {
  const opened = openDatabase({ service: 'catalog', url, entities: [Note], migrations: [] });
  return { opened, [Symbol.asyncDispose]: () => opened.close() };
}
