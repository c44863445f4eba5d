import { createTestDatabase } from '@billing/testing/database';
import { expect, it } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { inTransaction, isWriteConflict } from '../src/transaction.ts';
import { Note } from './note.entity.ts';

/** A table with the rows `a` and `b`, which count changes. */
async function startCounters() {
  const resources = new AsyncDisposableStack();
  const { url } = resources.use(await createTestDatabase('portal'));
  const database = openDatabase({ service: 'portal', url, entities: [Note], migrations: [] });
  resources.defer(() => database.close());
  const { em } = database;
  await em.execute('create table counters (id text primary key, changes int not null default 0)');
  await em.execute(`insert into counters values ('a'), ('b')`);
  return {
    em,
    read: () => em.fork().execute<{ id: string; changes: number }[]>('select * from counters order by id'),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const COUNT = 'update counters set changes = changes + 1 where id = ?';

it('runs the victim of a deadlock again', async () => {
  await using counters = await startCounters();
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const count = (first: string, second: string) =>
    inTransaction(counters.em, async tx => {
      await tx.execute(COUNT, [first]);
      if ((waiting += 1) === 2) both.resolve();
      await both.promise;
      await tx.execute(COUNT, [second]);
    });
  await Promise.all([count('a', 'b'), count('b', 'a')]);
  expect(waiting).toBe(3);
  expect(await counters.read()).toEqual([
    { id: 'a', changes: 2 },
    { id: 'b', changes: 2 },
  ]);
});

it('runs a transaction again that could not be serialized', async () => {
  await using counters = await startCounters();
  let runs = 0;
  await inTransaction(counters.em, async tx => {
    runs += 1;
    await tx.execute('set transaction isolation level repeatable read');
    await tx.execute('select * from counters');
    if (runs === 1) await counters.em.fork().execute(COUNT, ['a']);
    await tx.execute(COUNT, ['a']);
  });
  expect(runs).toBe(2);
  expect((await counters.read())[0]?.changes).toBe(2);
});

it('gives up after four runs, with an error that says so', async () => {
  await using counters = await startCounters();
  let runs = 0;
  const failing = inTransaction(counters.em, async tx => {
    runs += 1;
    await tx.execute(`do $$ begin raise exception 'no' using errcode = '40001'; end $$`);
  });
  await expect(failing).rejects.toSatisfy(isWriteConflict);
  expect(runs).toBe(4);
});

it('runs work with another error once', async () => {
  await using counters = await startCounters();
  let runs = 0;
  const failing = inTransaction(counters.em, async tx => {
    runs += 1;
    await tx.execute('select 1 / 0');
  });
  await expect(failing).rejects.not.toSatisfy(isWriteConflict);
  expect(runs).toBe(1);
});
