import { createTestDatabase } from '@billing/testing/database';
import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { slowQueryOf, summaryOf, timeQueries, type SlowQuery } from '../src/slow-queries.ts';

it('reports a statement that takes long, with its error or without, and no other', async () => {
  await using postgres = await createTestDatabase('catalog');
  const slow: SlowQuery[] = [];
  const pool = new Pool({ connectionString: postgres.url });
  timeQueries(pool, ended => {
    const query = slowQueryOf(ended);
    if (query) slow.push(query);
  });
  const client = await pool.connect();
  await client.query('select 1');
  await client.query('select pg_sleep(0.6), $1::text', ['grace@example.com']);
  await client.query('create table catalog.slow as select 1 as id');
  await client.query('set statement_timeout = 550');
  await expect(client.query('delete from catalog.slow where pg_sleep(1) is null')).rejects.toThrow('statement timeout');
  client.release();
  await pool.end();
  expect(slow).toEqual([
    { statement: 'select', ms: expect.any(Number) },
    { statement: 'delete slow', ms: expect.any(Number) },
  ]);
});

it.each([
  ['select * from "catalog"."products" where id = 1', 'select products'],
  ['insert into outbox_events (id) values ($1)', 'insert outbox_events'],
  ['with recursive x as (select 1) update webhook_events set a = 1', 'select webhook_events'],
  ['select extract(epoch from until) from purged_teams', 'select purged_teams'],
  ['select id from unnest($1::text[]) as i(id) join prices using (id)', 'select prices'],
  ['begin', 'begin'],
  ['nonsense', 'unknown'],
])('names %s by its verb and table', (sql, name) => {
  expect(summaryOf(sql)).toBe(name);
  expect(summaryOf({ text: sql, values: [] })).toBe(name);
});
