import { Client } from 'pg';
import { TeamId } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { migrate } from '@billing/service/database';
import { createTestDatabase, type TestDatabase } from '@billing/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RAW_TABLES, teamSchemaName } from '#domain/raw-object.ts';
import { openDatabase } from '#persistence/database.ts';
import { keepRawObjects } from '#team-schema/keep-raw-objects.ts';

let testDatabase: TestDatabase;
let database: ReturnType<typeof openDatabase>;
let admin: Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase('webhooks');
  database = openDatabase(testDatabase.url);
  await migrate(database);
  admin = new Client({ connectionString: testDatabase.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.close();
  await testDatabase.drop();
});

const rowsOf = async (teamId: TeamId, table: string) =>
  (await admin.query(`select * from "${teamSchemaName(teamId)}".${table} order by id`)).rows;
const change = (teamId: TeamId, type: ProcessorEventType, seconds: number, object: Record<string, unknown>) => ({
  teamId,
  type,
  createdAt: new Date(seconds * 1_000),
  object,
});

it('is made on first use, once, though many need it at the same moment', async () => {
  const teamId = TeamId.create();
  const ids = Array.from({ length: 12 }, (_, index) => `cus_${index}`);
  await Promise.all(ids.map(id => keepRawObjects(database.em, [change(teamId, 'customer.created', 1, { id })])));
  expect((await rowsOf(teamId, 'customers')).map(({ id }) => id)).toEqual(ids.toSorted());
  const { rows } = await admin.query('select table_name from information_schema.tables where table_schema = $1', [
    teamSchemaName(teamId),
  ]);
  expect(rows.map(row => String(row.table_name)).toSorted()).toEqual([...RAW_TABLES].toSorted());
});

it('is made again after it was dropped alone', async () => {
  const teamId = TeamId.create();
  await keepRawObjects(database.em, [change(teamId, 'product.created', 1, { id: 'prod_1' })]);
  await admin.query(`drop schema "${teamSchemaName(teamId)}" cascade`);
  await keepRawObjects(database.em, [change(teamId, 'product.updated', 2, { id: 'prod_1', name: 'x' })]);
  expect(await rowsOf(teamId, 'products')).toMatchObject([{ id: 'prod_1', data: { name: 'x' }, deleted: false }]);
});

it('holds one team’s objects, in a table per type', async () => {
  const [a, b] = [TeamId.create(), TeamId.create()];
  await keepRawObjects(database.em, [
    change(a, 'customer.subscription.updated', 5, { id: 'sub_1', of: 'a' }),
    change(a, 'checkout.session.completed', 5, { id: 'cs_1', of: 'a' }),
    change(b, 'customer.subscription.updated', 5, { id: 'sub_1', of: 'b' }),
    change(b, 'invoice.paid', 5, { of: 'b, without an id' }),
  ]);
  expect(await rowsOf(a, 'subscriptions')).toEqual([
    { id: 'sub_1', data: { id: 'sub_1', of: 'a' }, processor_updated_at: new Date(5_000), deleted: false },
  ]);
  expect(await rowsOf(b, 'subscriptions')).toMatchObject([{ data: { of: 'b' } }]);
  expect(await rowsOf(a, 'checkout_sessions')).toHaveLength(1);
  expect(await rowsOf(b, 'invoices')).toEqual([]);
});

it('cannot be read by the role of another service', async () => {
  const teamId = TeamId.create();
  await keepRawObjects(database.em, [change(teamId, 'customer.created', 1, { id: 'cus_1' })]);
  const other = new Client({ connectionString: await testDatabase.provision('catalog') });
  await other.connect();
  try {
    const read = other.query(`select * from "${teamSchemaName(teamId)}".customers`);
    await expect(read).rejects.toThrow(/permission denied/);
  } finally {
    await other.end();
  }
});

it('ends with the newest state in whatever order and company the changes come', async () => {
  const types = ['customer.created', 'customer.updated', 'customer.updated', 'customer.deleted'] as const;
  const history = fc.record({
    seconds: fc.tuple(fc.nat(3), fc.integer({ min: 4, max: 6 }), fc.integer({ min: 7, max: 9 }), fc.nat(12)),
    deleted: fc.boolean(),
    order: fc.shuffledSubarray([0, 1, 2, 3, 0, 1, 2, 3], { minLength: 8, maxLength: 8 }),
    batch: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ seconds, deleted, order, batch }) => {
      const teamId = TeamId.create();
      const sent = order
        .filter(index => index < (deleted ? 4 : 3))
        .map(index => change(teamId, types[index] ?? 'customer.updated', seconds[index] ?? 0, { id: 'cus_1', index }));
      for (let start = 0; start < sent.length; start += batch)
        await keepRawObjects(database.em, sent.slice(start, start + batch));
      expect(await rowsOf(teamId, 'customers')).toMatchObject([{ data: { index: deleted ? 3 : 2 }, deleted }]);
    }),
    { numRuns: 30 },
  );
}, 60_000);

it('lets the first state of an object give way to any other of the same second', async () => {
  for (const types of [
    ['customer.created', 'customer.updated'],
    ['customer.updated', 'customer.created'],
  ] as const) {
    const teamId = TeamId.create();
    for (const type of types) await keepRawObjects(database.em, [change(teamId, type, 1, { id: 'cus_1', type })]);
    expect(await rowsOf(teamId, 'customers')).toMatchObject([{ data: { type: 'customer.updated' } }]);
  }
});

it('lets no state of the same second take back that an invoice is paid, whatever the order and company', async () => {
  const told = [
    ['invoice.finalized', 'open'],
    ['invoice.updated', 'open'],
    ['invoice.updated', 'paid'],
    ['invoice.paid', 'paid'],
  ] as const;
  const orders = fc.shuffledSubarray([...told, ...told], { minLength: 8 });
  await fc.assert(
    fc.asyncProperty(orders, fc.integer({ min: 1, max: 4 }), async (order, batch) => {
      const teamId = TeamId.create();
      const sent = order.map(([type, status]) => change(teamId, type, 1, { id: 'in_1', status }));
      for (let start = 0; start < sent.length; start += batch)
        await keepRawObjects(database.em, sent.slice(start, start + batch));
      expect(await rowsOf(teamId, 'invoices')).toMatchObject([{ data: { status: 'paid' } }]);
    }),
    { numRuns: 20 },
  );
}, 60_000);
