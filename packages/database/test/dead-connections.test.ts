import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '@billing/testing/database';
import { startLink } from '@billing/testing/link';
import { expect, it } from 'vitest';
import { closeSilentConnections } from '../src/dead-connections.ts';
import { isDatabaseUnavailable, openDatabase, type Database } from '../src/database.ts';
import { Note } from './note.entity.ts';

const POOL_SIZE = 4;
const BUSY_MS = 5;

it('frees the pool’s slots of connections that the server ends mid-transaction', async () => {
  await using postgres = await createTestDatabase('catalog');
  const database = open(postgres.url);
  const other = open(postgres.url, 1);
  const endAll = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
  const failures = await disturb(database, () => other.em.fork().execute(endAll));
  await other.close();
  expect(failures.length).toBeGreaterThan(0);
  await expectWholePool(database);
});

it('frees the pool’s slots of connections that the network cuts mid-transaction', async () => {
  await using postgres = await createTestDatabase('catalog');
  await using link = await startLink(postgres.url);
  const database = open(link.url);
  const failures = await disturb(database, async () => {
    await link.cut();
    await link.mend();
  });
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.filter(failure => !isDatabaseUnavailable(failure))).toEqual([]);
  await expectWholePool(database);
});

it('closes a silent connection in use and frees its slot', async () => {
  await using postgres = await createTestDatabase('catalog');
  await using link = await startLink(postgres.url);
  const database = open(link.url);
  closeSilentConnections(await database.em.getConnection().getNativeClient(), 1_500);
  await transact(database);
  link.silence();
  const failure = await transact(database).catch((err: unknown) => err);
  expect(isDatabaseUnavailable(failure)).toBe(true);
  await transact(database);
  await expectWholePool(database);
});

it('keeps an idle connection open', async () => {
  await using postgres = await createTestDatabase('catalog');
  const database = open(postgres.url, 1);
  const pool = await database.em.getConnection().getNativeClient();
  closeSilentConnections(pool, 50);
  const server = () => database.em.fork().execute<{ pid: number }[]>('select pg_backend_pid() as pid');
  const before = await server();
  await delay(200); // four times the limit for a connection in use
  expect(await server()).toEqual(before);
  await database.close();
});

const open = (url: string, poolSize = POOL_SIZE): Database =>
  openDatabase({ service: 'catalog', url, entities: [Note], migrations: [], poolSize });

const transact = (database: Database) =>
  database.em.fork().transactional(tx => tx.execute(`select pg_sleep(${BUSY_MS / 1_000})`));

/** Keeps the pool busy while `disturbance` runs repeatedly. Returns the errors of that time. */
async function disturb(database: Database, disturbance: () => Promise<unknown>): Promise<unknown[]> {
  const failures: unknown[] = [];
  const end = new AbortController();
  const busy = Array.from({ length: 2 * POOL_SIZE }, async () => {
    while (!end.signal.aborted) await transact(database).catch((err: unknown) => failures.push(err));
  });
  for (let round = 0; round < 50; round += 1) {
    await disturbance();
    await delay((round % 5) * BUSY_MS);
  }
  end.abort();
  await Promise.all(busy);
  return failures;
}

/** Expects that all slots can be used at the same time, and that the pool closes, which waits for used slots. */
async function expectWholePool(database: Database): Promise<void> {
  const { promise: all, resolve } = Promise.withResolvers<undefined>();
  let holding = 0;
  const hold = () =>
    database.em.fork().transactional(async tx => {
      await tx.execute('select 1');
      holding += 1;
      if (holding === POOL_SIZE) resolve(undefined);
      await all;
    });
  await Promise.all(Array.from({ length: POOL_SIZE }, hold));
  expect(holding).toBe(POOL_SIZE);
  await database.close();
}
