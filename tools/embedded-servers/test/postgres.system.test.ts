import { chmod, cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { choosePostgresAccount } from '../src/postgres-account.ts';
import { findPostgresBinaries } from '../src/postgres-binaries.ts';
import { createCluster } from '../src/postgres-cluster.ts';
import { startPostgres } from '../src/postgres.ts';
import { startProcessGuard } from '../src/process-guard.ts';
import { isAlive } from '../src/process-table.ts';
import { temporaryFolder } from './temporary-folder.ts';

const guard = startProcessGuard();
afterAll(() => guard.close());

// Its cluster is made by the first test that starts it.
const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

const start = (path: string, options: { password?: string; port?: number } = {}) =>
  startPostgres({
    dataDir: join(path, 'postgres'),
    logFile: join(path, 'postgres.log'),
    password: 'secret',
    guard,
    durable: false,
    ...options,
  });

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

it('runs PostgreSQL 18 with 300 connections and a fixed collation', async () => {
  const server = await start(folder.path);
  const [version] = await query(server.url, 'show server_version');
  expect(version).toMatch(/^18\./);
  expect(await query(server.url, 'show max_connections')).toEqual(['300']);
  expect(await query(server.url, `select datlocale from pg_database where datname = 'postgres'`)).toEqual(['C.UTF-8']);
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
});

it('keeps its data after a stop and after SIGKILL', async () => {
  const first = await start(folder.path);
  await query(first.url, 'create table number (value int)');
  await query(first.url, 'insert into number values (1)');
  await first.stop();

  const second = await start(folder.path);
  await query(second.url, 'insert into number values (2)');
  process.kill(second.pid, 'SIGKILL');
  expect(await second.exited).toBe('signal SIGKILL');

  const third = await start(folder.path);
  expect(await query(third.url, 'select value from number order by value')).toEqual([1, 2]);
  await third.stop();
});

it('ignores a lock file whose process id belongs to another program', async () => {
  await (await start(folder.path)).stop();
  await writeFile(join(folder.path, 'postgres', 'postmaster.pid'), `${process.pid}\n`);
  const server = await start(folder.path);
  expect(await query(server.url, 'select 1')).toEqual([1]);
  await server.stop();
});

it('rejects connections with a wrong password', async () => {
  const server = await start(folder.path);
  await expect(query(server.url.replace('secret', 'wrong'), 'select 1')).rejects.toThrow('password');
  await server.stop();
  await expect(start(folder.path, { password: 'other' })).rejects.toThrow('refused the password');
});

it('fails with the port when a fixed port is in use', async () => {
  await using other = await temporaryFolder();
  const server = await start(folder.path);
  await expect(start(other.path, { port: server.port })).rejects.toThrow('could not bind');
  await server.stop();
});

it('rejects a data folder of another PostgreSQL version', async () => {
  await (await start(folder.path)).stop();
  const file = join(folder.path, 'postgres', 'PG_VERSION');
  const version = await readFile(file);
  await writeFile(file, '15\n');
  await expect(start(folder.path)).rejects.toThrow('belongs to PostgreSQL 15');
  await writeFile(file, version);
});

it('starts in a folder that every user can enter', async () => {
  await using other = await temporaryFolder();
  await chmod(other.path, 0o755);
  const server = await start(other.path);
  expect(await query(server.url, 'select 1')).toEqual([1]);
  await server.stop();
});

// Ordinary users have no such folder.
it.runIf(process.getuid?.() === 0)('makes a cluster with programs in a folder that only root can enter', async () => {
  await using other = await temporaryFolder();
  await chmod(other.path, 0o700);
  const { initdb } = await findPostgresBinaries();
  const programs = join(other.path, 'native');
  await cp(join(dirname(initdb), '..'), programs, { recursive: true, verbatimSymlinks: true });
  const own = join(programs, 'bin/initdb');
  const dataDir = join(other.path, 'postgres');
  const account = choosePostgresAccount(dataDir, own);
  expect(account.uid).not.toBe(0);
  await createCluster({ dataDir, initdb: own, account, user: 'postgres', password: 'secret', durable: false });
  expect(await readFile(join(dataDir, 'PG_VERSION'), 'utf8')).toBe('18\n');
});
