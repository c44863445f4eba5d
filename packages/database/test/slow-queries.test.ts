import { createTestDatabase } from '@billing/testing/database';
import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { slowQueryOf, timeQueries, type SlowQuery } from '../src/slow-queries.ts';

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
