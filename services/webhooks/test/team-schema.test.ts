import { Client } from 'pg';
import { TeamId } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RAW_TABLES, teamSchemaName } from '../src/pipeline/raw-object.rules.ts';
import { readContent } from '../src/receipt/event-content.rules.ts';
import { openTeamSchemas } from '../src/pipeline/team-schema.ts';
import { mirrorObjects } from '../src/pipeline/mirror.ts';
import { startWebhooks, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;

beforeAll(async () => {
  service = await startWebhooks({ run: false });
});
afterAll(() => service[Symbol.asyncDispose]());

/** Mirrors objects as a process does that sees these teams for the first time. */
async function mirror(events: Parameters<typeof mirrorObjects>[1]): Promise<void> {
  const { em } = service;
  await openTeamSchemas(em).ensure(events.map(({ teamId }) => teamId));
  await em.fork().transactional(tx => mirrorObjects(tx, events));
}

const rowsOf = (teamId: TeamId, table: string) =>
  service.sql(`select * from "${teamSchemaName(teamId)}".${table} order by id`);
const change = (teamId: TeamId, type: ProcessorEventType, seconds: number, object: Record<string, unknown>) => ({
  teamId,
  createdAt: new Date(seconds * 1_000),
  ...readContent(type, { object }),
});

it('is created on first use, once, though many need it at the same time', async () => {
  const teamId = TeamId.create();
  const ids = Array.from({ length: 12 }, (_, index) => `cus_${index}`);
  await Promise.all(ids.map(id => mirror([change(teamId, 'customer.created', 1, { id })])));
  expect((await rowsOf(teamId, 'customers')).map(({ id }) => id)).toEqual(ids.toSorted());
  const tables = await service.sql('select table_name from information_schema.tables where table_schema = ?', [
    teamSchemaName(teamId),
  ]);
  expect(tables.map(row => String(row['table_name'])).toSorted()).toEqual([...RAW_TABLES].toSorted());
});

it('holds one team’s objects, in a table per type', async () => {
  const [a, b] = [TeamId.create(), TeamId.create()];
  await mirror([
    change(a, 'customer.subscription.updated', 5, { id: 'sub_1', of: 'a' }),
    change(a, 'checkout.session.completed', 5, { id: 'cs_1', of: 'a' }),
    change(b, 'customer.subscription.updated', 5, { id: 'sub_1', of: 'b' }),
    change(b, 'invoice.paid', 5, { of: 'b, without an id' }),
  ]);
  expect(await rowsOf(a, 'subscriptions')).toEqual([
    { id: 'sub_1', data: { id: 'sub_1', of: 'a' }, processor_updated_at: '1970-01-01 00:00:05+00', deleted: false },
  ]);
  expect(await rowsOf(b, 'subscriptions')).toMatchObject([{ data: { of: 'b' } }]);
  expect(await rowsOf(a, 'checkout_sessions')).toHaveLength(1);
  expect(await rowsOf(b, 'invoices')).toEqual([]);
});

it('cannot be read by the role of another service', async () => {
  const teamId = TeamId.create();
  await mirror([change(teamId, 'customer.created', 1, { id: 'cus_1' })]);
  const other = new Client({ connectionString: await service.testDatabase.provision('catalog') });
  await other.connect();
  try {
    const read = other.query(`select * from "${teamSchemaName(teamId)}".customers`);
    await expect(read).rejects.toThrow(/permission denied/);
  } finally {
    await other.end();
  }
});

it('ends with the newest state, whatever the order and batches', async () => {
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
      for (let start = 0; start < sent.length; start += batch) await mirror(sent.slice(start, start + batch));
      expect(await rowsOf(teamId, 'customers')).toMatchObject([{ data: { index: deleted ? 3 : 2 }, deleted }]);
    }),
    { numRuns: runs(30) },
  );
});

it('follows an id into its second life, whatever the order and batches', async () => {
  const [first, second] = [{ created: 1 }, { created: 5 }];
  const history = [
    ['coupon.created', 1, first],
    ['coupon.updated', 3, first],
    ['coupon.deleted', 5, first],
    ['coupon.created', 5, second],
    ['coupon.updated', 7, second],
    ['coupon.deleted', 9, second],
  ] as const;
  const runsOf = fc.record({
    length: fc.integer({ min: 4, max: 6 }),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], { minLength: 12, maxLength: 12 }),
    batch: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(runsOf, async ({ length, order, batch }) => {
      const teamId = TeamId.create();
      const sent = order.flatMap(index => {
        const event = index < length ? history[index] : undefined;
        return event ? [change(teamId, event[0], event[1], { id: 'SAVE10', index, ...event[2] })] : [];
      });
      for (let start = 0; start < sent.length; start += batch) await mirror(sent.slice(start, start + batch));
      const data = { index: length - 1, created: 5 };
      expect(await rowsOf(teamId, 'coupons')).toMatchObject([{ data, deleted: length === 6 }]);
    }),
    { numRuns: runs(30) },
  );
});

it('replaces the first state of an object by any other of the same second', async () => {
  for (const types of [
    ['customer.created', 'customer.updated'],
    ['customer.updated', 'customer.created'],
  ] as const) {
    const teamId = TeamId.create();
    for (const type of types) await mirror([change(teamId, type, 1, { id: 'cus_1', type })]);
    expect(await rowsOf(teamId, 'customers')).toMatchObject([{ data: { type: 'customer.updated' } }]);
  }
});

it('keeps an invoice paid within a second, whatever the order and batches', async () => {
  const states = [
    ['invoice.finalized', 'open'],
    ['invoice.updated', 'open'],
    ['invoice.updated', 'paid'],
    ['invoice.paid', 'paid'],
  ] as const;
  const orders = fc.shuffledSubarray([...states, ...states], { minLength: 8 });
  await fc.assert(
    fc.asyncProperty(orders, fc.integer({ min: 1, max: 4 }), async (order, batch) => {
      const teamId = TeamId.create();
      const sent = order.map(([type, status]) => change(teamId, type, 1, { id: 'in_1', status }));
      for (let start = 0; start < sent.length; start += batch) await mirror(sent.slice(start, start + batch));
      expect(await rowsOf(teamId, 'invoices')).toMatchObject([{ data: { status: 'paid' } }]);
    }),
    { numRuns: runs(20) },
  );
});
