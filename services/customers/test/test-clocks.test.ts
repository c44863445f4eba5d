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

it.each(['500-but-done', 'done-but-response-lost', 'done-but-response-broken'] as const)(
  'has the customer who was put on it though the response was %s',
  async mode => {
    await using service = await startCustomers();
    const { id } = await service.createCustomer({ email: 'ada@example.com' });
    await service.control.fail({ path: '/v1/test_helpers', method: 'POST', mode, times: 20 });
    const headers = { 'idempotency-key': randomUUID() };
    const create = () => service.call('POST', '/test-clocks', { body: { name: 'Later', customerId: id }, headers });
    await create();
    await service.control.clearFaults();
    const { status, body } = await create();
    expect([status, body.testClock]).toMatchObject([201, { customerIds: [id] }]);
  },
);

it('takes no customer who is on one already', async () => {
  await using service = await startCustomers();
  const { id } = await service.createCustomer({ email: 'ada@example.com' });
  const body = { name: 'Later', customerId: id };
  expect((await service.call('POST', '/test-clocks', { body })).status).toBe(201);
  const second = await service.call('POST', '/test-clocks', { body });
  expect([second.status, second.body.error.details.fields]).toMatchObject([400, [{ path: 'customerId' }]]);
  expect((await service.dashboard.testHelpers.testClocks.list()).data).toHaveLength(1);
});

it.each(['500-but-done', 'done-but-response-lost', 'done-but-response-broken'] as const)(
  'is deleted though the response was %s',
  async mode => {
    await using service = await startCustomers();
    const { testClock } = (await service.call('POST', '/test-clocks', { body: { name: 'Old' } })).body;
    await service.control.fail({ path: '/v1/test_helpers', method: 'DELETE', mode, times: 20 });
    await service.call('DELETE', `/test-clocks/${testClock.id}`);
    await service.control.clearFaults();
    await service.makeDue();
    await service.reconcile();
    expect((await service.call('GET', `/test-clocks/${testClock.id}`)).status).toBe(404);
  },
);

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
  const all = await Promise.all(Array.from({ length: 12 }, create));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
  const { body } = await create();
  expect(body.error).toMatchObject({ code: 'quota_exceeded', details: { quota: 'test_clocks', limit: 100 } });
});

it('has its own time, and tells of billing details in real time', async () => {
  await using service = await startCustomers();
  const wanted = { name: 'Ahead', now: '2040-01-01T00:00:00Z' };
  const { testClock } = (await service.call('POST', '/test-clocks', { body: wanted })).body;
  const { processorCustomerId } = await service.createCustomer({
    email: 'ada@example.com',
    testClockId: testClock.id,
  });
  await service.dashboard.customers.update(processorCustomerId, { address: { country: 'DE' } });
  for (const event of await service.events('customer.updated')) await service.deliver(event);
  const told = (await service.publicEvents()).filter(({ type }) => type === 'customer.billing_details_updated');
  expect(told).toHaveLength(1);
  expect(new Date(told[0]?.at ?? 0).getTime()).toBeLessThan(Date.now() + DAY_MS);
});
