import { setTimeout as delay } from 'node:timers/promises';
import { Migration } from '@mikro-orm/migrations';
import { createTestDatabase } from '@billing/testing/database';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { Thing } from './thing.entity.ts';
import { migrate, openDatabase, type NamedMigration } from '../src/database.ts';

const migration = (name: string, ...statements: string[]): NamedMigration => ({
  name,
  class: class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  },
});

const CREATE = migration(
  '0001-create-things',
  'create table things (id int primary key)',
  'insert into things values (1)',
);
/** Keeps the limits that it has. */
const LIMITS = migration(
  '0002-limits',
  `create table limits as select name, setting from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout')`,
);
const EXPAND = migration('0003-expand', 'alter table things add column name text');
const BROKEN = migration('0004-broken', 'alter table things add column color text', 'select 1 / 0');

async function openCopies() {
  const testDatabase = await createTestDatabase('catalog');
  const admin = openDatabase({ service: 'catalog', url: testDatabase.adminUrl, entities: [Thing], migrations: [] });
  const opened = [admin];
  return {
    copy(...migrations: NamedMigration[]) {
      const database = openDatabase({ service: 'catalog', url: testDatabase.url, entities: [Thing], migrations });
      opened.push(database);
      return database;
    },
    /** Sets how many connections of services the database accepts; -1 for any number. */
    limitConnections: (limit: number) =>
      admin.em.execute(`alter database ${new URL(testDatabase.url).pathname.slice(1)} connection limit ${limit}`),
    async [Symbol.asyncDispose]() {
      for (const database of opened) await database.close();
      await testDatabase.drop();
    },
  };
}

it('runs each migration once when copies start at the same time', async () => {
  await using copies = await openCopies();
  const databases = [1, 2, 3].map(() => copies.copy(CREATE, EXPAND));
  await Promise.all(databases.map(migrate));
  const rows = await copies.copy().em.fork().execute('select name from migrations order by id');
  expect(rows).toEqual([{ name: '0001-create-things' }, { name: '0003-expand' }]);
});

it('waits for a PostgreSQL that has no place for it yet', async () => {
  await using copies = await openCopies();
  await copies.limitConnections(0);
  const migrating = migrate(copies.copy(CREATE));
  await Promise.race([migrating, delay(1_000)]); // twice the pause between attempts
  await copies.limitConnections(-1);
  await migrating;
  expect(await copies.copy().em.fork().execute('select id from things')).toEqual([{ id: 1 }]);
});

it('gives a migration all the time that it needs, and a request ten seconds', async () => {
  await using copies = await openCopies();
  const { em } = copies.copy(LIMITS);
  await migrate(copies.copy(LIMITS));
  const ofMigration = await em.fork().execute<{ setting: string }[]>('select setting from limits');
  expect(ofMigration.map(({ setting }) => setting)).toEqual(['0', '0']);
  expect(await em.fork().execute('show statement_timeout')).toEqual([{ statement_timeout: '10s' }]);
});

it('leaves nothing of a migration that fails, and none that came before it', async () => {
  await using copies = await openCopies();
  await expect(migrate(copies.copy(CREATE, EXPAND, BROKEN))).rejects.toThrow('division by zero');
  const [row] = await copies
    .copy()
    .em.fork()
    .execute<{ name: string | null }[]>(`select to_regclass('things') as name`);
  expect(row?.name).toBeNull();
});

it('lets the former version read while it waits for a locked table, and then changes it', async () => {
  await using copies = await openCopies();
  const former = copies.copy(CREATE);
  await migrate(former);
  const reader = former.em.fork();
  await reader.begin();
  await reader.execute('select * from things');

  const migrating = migrate(copies.copy(CREATE, EXPAND));
  // A migration that waited on would let nobody read behind it.
  const isWaiting = async () =>
    (
      await former.em.fork().execute<unknown[]>(`select 1 from pg_locks l join pg_class c on c.oid = l.relation
      where c.relname = 'things' and not l.granted`)
    ).length > 0;
  await waitFor(isWaiting, { what: 'the migration to wait for the table' });
  expect(await former.em.fork().execute('select id from things')).toEqual([{ id: 1 }]);
  await reader.commit();
  await migrating;
  expect(await former.em.fork().execute('select id, name from things')).toEqual([{ id: 1, name: null }]);
});
