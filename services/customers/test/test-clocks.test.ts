import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { deleteExpiredClocks } from '../src/test-clocks/delete-test-clock.ts';
import { startCustomers } from './start-customers.ts';

const DAY_MS = 86_400_000;

it('is created once though the response of the processor is lost', async () => {
  await using service = await startCustomers();
  await service.control.fail({ path: '/v1/test_helpers', method: 'POST', mode: 'done-but-response-lost', times: 2 });
  const headers = { 'idempotency-key': randomUUID() };
  const create = () => service.call('POST', '/test-clocks', { body: { name: 'Once' }, headers });
  const first = await create();
  const { status, body } = first.status === 201 ? first : await create();
  expect(status).toBe(201);
  const { data } = await service.dashboard.testHelpers.testClocks.list();
  expect(data.map(({ id }) => id)).toEqual([body.testClock.processorTestClockId]);
});

it('is gone with its customers once the processor has deleted it by itself', async () => {
  await using service = await startCustomers();
  const { testClock } = (await service.call('POST', '/test-clocks', { body: { name: 'Old' } })).body;
  const { id } = await service.createCustomer({ email: 'ada@example.com', testClockId: testClock.id });
  const find = () => service.call('GET', `/customers/${id}`);
  await deleteExpiredClocks(service.outbox, () => new Date(Date.now() + 29 * DAY_MS));
  expect((await find()).status).toBe(200);
  await deleteExpiredClocks(service.outbox, () => new Date(Date.now() + 31 * DAY_MS));
  expect((await find()).status).toBe(404);
  expect((await service.call('GET', `/test-clocks/${testClock.id}`)).body.error.code).toBe('test_clock_not_found');
});

it('is one of a hundred of the account at most', async () => {
  await using service = await startCustomers();
  const create = () => service.call('POST', '/test-clocks', { body: { name: 'One more' } });
  expect((await create()).status).toBe(201);
  await service.em.fork().execute(
    `insert into test_clocks
     select (jsonb_populate_record(c, jsonb_build_object('id', c.id || n, 'processor_id', c.processor_id || n))).*
       from test_clocks c, generate_series(1, 98) n`,
  );
  expect((await create()).status).toBe(201);
  const { status, body } = await create();
  expect([status, body.error.code]).toEqual([422, 'quota_exceeded']);
  expect(body.error.details).toEqual({ quota: 'test_clocks', limit: 100 });
});
