import { randomUUID } from 'node:crypto';
import { waitFor } from '@billing/testing/wait-for';
import { describe, expect, it } from 'vitest';
import { leaseClocks } from '../src/test-clocks/lease-clocks.ts';
import { runAdvance } from '../src/test-clocks/run-advance.ts';
import { startClocks } from './start-clocks.ts';

const email = 'ada@example.com';
const JUNE = '2030-06-01T00:00:00.000Z';
const NEVER = new AbortController().signal;

it.each(['500', '500-but-done', 'done-but-response-lost', 'done-but-response-broken', '502html', '429'] as const)(
  'is ready in the end after the processor responded with %s',
  async mode => {
    await using clocks = await startClocks();
    const { id, processorTestClockId } = await clocks.create();
    const path = `/v1/test_helpers/test_clocks/${processorTestClockId}/advance`;
    await clocks.control.fail({ path, method: 'POST', mode, times: 1 });
    await clocks.advance(id, { to: JUNE });
    await clocks.advanceAll();
    expect(await clocks.find(id)).toMatchObject({ status: 'ready', now: JUNE });
  },
);

it('is ready in the end though several copies advance it at once', async () => {
  await using clocks = await startClocks();
  const { id } = await clocks.create();
  await clocks.subscribe(await clocks.createCustomer({ email, testClockId: id }));
  await clocks.advance(id, { to: JUNE });
  const run = runAdvance(clocks);
  const runs: Promise<void>[] = [];
  for (let copy = 0; copy < 5; copy += 1) {
    await clocks.em.fork().execute('update test_clocks set due_at = clock_timestamp() where due_at is not null');
    runs.push(...(await leaseClocks(clocks.em, 1)).map(clock => run(clock, NEVER)));
  }
  await Promise.all(runs);
  await clocks.advanceAll();
  expect(await clocks.find(id)).toMatchObject({ status: 'ready', now: JUNE });
});

it('is not ready while events are missing, and fails when they never come', async () => {
  await using clocks = await startClocks();
  const { id } = await clocks.create();
  await clocks.createCustomer({ email, testClockId: id });
  clocks.numbering.areRecorded = false;
  await clocks.advance(id, { to: JUNE });
  await clocks.turn();
  expect(await clocks.find(id)).toMatchObject({ status: 'advancing', target: JUNE });
  await clocks.em.fork().execute('update test_clocks set failures = 50');
  await clocks.turn();
  expect(await clocks.find(id)).toMatchObject({ status: 'failed' });
  clocks.numbering.areRecorded = true;
  await clocks.advance(id, { to: '2030-06-02T00:00:00.000Z' });
  await clocks.advanceAll();
  expect(await clocks.find(id)).toMatchObject({ status: 'ready', now: '2030-06-02T00:00:00.000Z' });
});

it('is gone for good when it is deleted while it advances', async () => {
  await using clocks = await startClocks();
  const { id } = await clocks.create();
  const customer = await clocks.createCustomer({ email, testClockId: id });
  await clocks.advance(id, { to: JUNE });
  await clocks.control.fail({ path: '/v1/test_helpers', method: 'POST', mode: 'held', times: 1 });
  const turn = clocks.turn();
  const status = () => clocks.em.fork().execute<{ status: string }[]>('select status from test_clocks');
  await waitFor(async () => (await status())[0]?.status === 'running', { what: 'the clock to advance' });
  expect((await clocks.call('DELETE', `/test-clocks/${id}`)).status).toBe(200);
  await clocks.control.clearFaults();
  await turn;
  await clocks.advanceAll();
  expect(await clocks.find(id)).toBeUndefined();
  expect((await clocks.call('GET', `/customers/${customer.id}`)).status).toBe(404);
});

it('has a customer that was being created when it advanced', async () => {
  await using clocks = await startClocks();
  const { id } = await clocks.create();
  await clocks.control.fail({ path: '/v1/customers', method: 'POST', mode: 'done-but-response-lost', times: 20 });
  const create = () => clocks.call('POST', '/customers', { body: { email, testClockId: id } });
  expect((await create()).status).toBe(503);
  await clocks.advance(id, { to: JUNE });
  await clocks.advanceAll();
  await clocks.control.clearFaults();
  expect((await create()).status).toBe(201);
  const [customer] = await clocks.em.fork().execute<{ time: Date }[]>('select test_clock_now as time from customers');
  expect(new Date(customer?.time ?? 0).toISOString()).toBe(JUNE);
});

it('takes three of many customers at once', async () => {
  await using clocks = await startClocks();
  const { id: testClockId } = await clocks.create();
  const create = (_: unknown, index: number) =>
    clocks.call('POST', '/customers', { body: { email: `${index}@example.com`, testClockId } });
  const responses = await Promise.all(Array.from({ length: 8 }, create));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
});

it.each([false, true])('sends the usage of its customers before it advances; deleted here: %s', async isDeleted => {
  await using clocks = await startClocks();
  const { id } = await clocks.create();
  const { id: customerId } = await clocks.createCustomer({ email, testClockId: id });
  await clocks.record([{ id: 'a', customerId, meter: 'calls', value: 1 }]);
  if (isDeleted) await clocks.call('DELETE', `/customers/${customerId}`);
  await clocks.advance(id, { to: JUNE });
  await clocks.turn();
  expect(await clocks.find(id)).toMatchObject({ status: 'advancing', now: '2030-01-01T00:00:00.000Z' });
  await clocks.drain();
  await clocks.advanceAll();
  expect(await clocks.find(id)).toMatchObject({ status: 'ready', now: JUNE });
  expect(await clocks.list()).toMatchObject([{ id: 'a', status: 'sent' }]);
});

it('fails when usage of its customers cannot be sent', async () => {
  await using clocks = await startClocks();
  const { id } = await clocks.create();
  const { id: customerId } = await clocks.createCustomer({ email, testClockId: id });
  await clocks.record([{ id: 'a', customerId, meter: 'calls', value: 1 }]);
  await clocks.control.fail({ path: '/v1/billing/meter_events', mode: '401', times: 20 });
  await clocks.drain();
  await clocks.advance(id, { to: JUNE });
  await clocks.em.fork().execute('update test_clocks set failures = 50');
  await clocks.turn();
  expect(await clocks.find(id)).toMatchObject({ status: 'failed', now: '2030-01-01T00:00:00.000Z' });
});

describe('a request to advance', () => {
  it('is the same under its key, however often it is run', async () => {
    await using clocks = await startClocks();
    const { id } = await clocks.create();
    await clocks.subscribe(await clocks.createCustomer({ email, testClockId: id }));
    const headers = { 'idempotency-key': randomUUID() };
    const repeat = async () => {
      // As if the process had died before it stored the response.
      await clocks.em.fork().execute('update idempotent_requests set status = null, body = null, due_at = now()');
      return clocks.advance(id, { until: 'period_end' }, headers);
    };
    expect((await repeat()).body.testClock).toMatchObject({ status: 'advancing', target: '2030-01-21T00:00:00.000Z' });
    expect((await repeat()).body.testClock).toMatchObject({ status: 'advancing', target: '2030-01-21T00:00:00.000Z' });
    await clocks.advanceAll();
    const { status, body } = await repeat();
    expect([status, body.testClock]).toMatchObject([202, { status: 'ready', now: '2030-01-21T00:00:00.000Z' }]);
  });

  it('is refused when another one has come there meanwhile', async () => {
    await using clocks = await startClocks();
    const { id } = await clocks.create();
    await clocks.subscribe(await clocks.createCustomer({ email, testClockId: id }));
    await clocks.control.fail({ path: '/v1/invoices', method: 'GET', mode: 'held', times: 1 });
    const overtaken = clocks.advance(id, { until: 'trial_end' });
    await waitFor(async () => (await clocks.control.faults()).length === 0, { what: 'the request to read invoices' });
    await clocks.advance(id, { to: '2030-02-15T00:00:00Z' });
    await clocks.advanceAll();
    await clocks.control.clearFaults();
    const { status, body } = await overtaken;
    expect([status, body.error.code]).toEqual([422, 'time_not_ahead']);
  });
});

it('advances few clocks of a team at once, so that others have their turn', async () => {
  await using clocks = await startClocks();
  for (let count = 0; count < 3; count += 1) {
    const { id } = await clocks.create();
    await clocks.advance(id, { to: JUNE });
  }
  expect(await leaseClocks(clocks.em, 4)).toHaveLength(2);
  expect(await leaseClocks(clocks.em, 4)).toEqual([]);
});
