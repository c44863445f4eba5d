import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { withClient } from '../src/cluster.ts';
import { createTestDatabase } from '../src/database.ts';
import { ensureTemplate } from '../src/database-template.ts';
import { testServerUrls } from '../src/server-urls.ts';
import { schemaWith } from './template-schema.ts';

const { databaseUrl: clusterUrl } = testServerUrls();
const newTable = () => `t${randomBytes(6).toString('hex')}`;

it('creates a migrated database that the service’s role can use', async () => {
  const table = newTable();
  await using database = await createTestDatabase('catalog', schemaWith(table));
  await insert(database.url, table);
  await using other = await createTestDatabase('catalog', schemaWith(table));
  expect(await count(other.url, table)).toBe(0);
});

it('lets processes that start at the same time share one template', async () => {
  const table = newTable();
  const program = join(import.meta.dirname, 'create-database.ts');
  const runs = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, [program, table]));
  const urls = (await Promise.all(runs)).map(({ stdout }) => stdout.trim());
  expect(new Set(urls).size).toBe(4);
  for (const url of urls) expect(await count(url, table)).toBe(0);
});

it('creates a template again whose creation was interrupted', async () => {
  const table = newTable();
  const name = await ensureTemplate(clusterUrl, 'catalog', schemaWith(table));
  await withClient(clusterUrl, async client => {
    await client.query(`alter database ${name} with is_template false`);
    await client.query(`drop database ${name}`);
    await client.query(`create database ${name}`); // without the role's schema, as after a crash
  });
  const program = join(import.meta.dirname, 'create-database.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, table]);
  expect(await count(stdout.trim(), table)).toBe(0);
});

it('drops templates that are older than a day', async () => {
  const old = await ensureTemplate(clusterUrl, 'portal', schemaWith(newTable()));
  await withClient(clusterUrl, client => client.query(`comment on database ${old} is '2020-01-01T00:00:00Z'`));
  const recent = await ensureTemplate(clusterUrl, 'portal', schemaWith(newTable()));
  const { rows } = await withClient(clusterUrl, client =>
    client.query<{ name: string }>('select datname as name from pg_database where datname = any($1)', [[old, recent]]),
  );
  expect(rows).toEqual([{ name: recent }]);
});

const insert = (url: string, table: string) =>
  withClient(url, client => client.query(`insert into catalog.${table} values (1)`));

async function count(url: string, table: string): Promise<number> {
  const { rows } = await withClient(url, client =>
    client.query<{ n: number }>(`select count(*)::int as n from ${table}`),
  );
  return rows[0]?.n ?? NaN;
}
