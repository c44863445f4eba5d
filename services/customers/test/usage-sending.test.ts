import { UsageRejected } from '@billing/contracts/events/usage';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { checkUsage, leaseChecks } from '../src/usage/check-usage.ts';
import { leaseQueues, takeNext } from '../src/usage/usage-rows.ts';
import { startUsage, type UsageService } from './start-usage.ts';

const PATH = '/v1/billing/meter_events';
const HOUR_MS = 3_600_000;
/** More than the attempts of one call. */
const MANY = 20;

const recordAll = async (service: UsageService, customerId: string, ids: readonly string[], meter = 'calls') => {
  const events = ids.map((id, index) => ({ id, customerId, meter, value: 2 ** index }));
  expect((await service.record(events)).body.accepted).toBe(ids.length);
};
const statuses = async (service: UsageService) =>
  Object.fromEntries((await service.list()).map(({ id, status }) => [id, status]));

it('sends the events of a customer and a meter in the order in which they were accepted', async () => {
  await using service = await startUsage();
  const { id } = await service.createCustomer();
  await recordAll(service, id, ['d', 'b', 'c']);
  await recordAll(service, id, ['a', 'e']);
  await service.drain();
  const order = ['d', 'b', 'c', 'a', 'e'];
  expect(await service.taken(order)).toEqual(order);
});

it('keeps the order while the processor is away, and lets other customers and meters go on', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer({ email: 'ada@example.com' });
  const bob = await service.createCustomer({ email: 'bob@example.com' });
  await recordAll(service, ada.id, ['a1', 'a2']);
  await service.control.fail({ path: PATH, mode: '429', times: MANY });
  await service.drain();
  await service.control.clearFaults();
  expect(await statuses(service)).toEqual({ a1: 'pending', a2: 'pending' });
  const [waiting] = await service.em
    .fork()
    .execute<{ failures: number; waits: boolean }[]>(
      'select failures, due_at > clock_timestamp() as waits from usage_queues',
    );
  expect(waiting).toEqual({ failures: 1, waits: true });
  await recordAll(service, bob.id, ['b']);
  await service.drain();
  expect(await statuses(service)).toEqual({ a1: 'pending', a2: 'pending', b: 'sent' });
  await service.makeDue();
  await service.drain();
  expect(await service.taken(['a1', 'a2', 'b'])).toEqual(['b', 'a1', 'a2']);
});

it.each([
  { mode: 'done-but-response-lost', times: MANY },
  { mode: 'done-but-response-lost', times: 1 },
  { mode: 'done-but-response-broken', times: MANY },
  { mode: '500-but-done', times: MANY },
  { mode: '500-but-done', times: 1, kept: false },
  { mode: '500', times: 1 },
  { mode: '502html', times: MANY },
  { mode: 'dropped', times: MANY },
  { mode: '401', times: MANY },
] as const)('counts an event once after $mode, $times times', async fault => {
  await using service = await startUsage();
  const { id } = await service.createCustomer();
  await recordAll(service, id, ['a', 'b']);
  await service.control.fail({ path: PATH, ...fault });
  await service.drain();
  await service.control.clearFaults();
  for (let round = 0; round < 3; round += 1) {
    await service.makeDue();
    await service.drain();
  }
  expect(await statuses(service)).toEqual({ a: 'sent', b: 'sent' });
  expect(await service.counted({ id })).toBe(3);
});

it('counts an event once when the process dies before it notes that it was sent', async () => {
  await using service = await startUsage();
  const { id } = await service.createCustomer();
  await recordAll(service, id, ['a', 'b']);
  const [queue] = await leaseQueues(service.em, 1);
  if (!queue) throw new Error('No queue is due.');
  const next = await takeNext(service.em, queue, new Date());
  const { processorCustomerId: customerId } = (await service.call('GET', `/customers/${id}`)).body.customer;
  const usage = {
    meter: 'calls',
    customerId,
    identifier: service.identifier('a'),
    value: 1,
    at: next?.at ?? new Date(),
  };
  await service.processor.sendUsage(usage, `billing:usage:${usage.identifier}:0`);
  await service.drain();
  expect(await statuses(service)).toEqual({ a: 'pending', b: 'pending' });
  await service.makeDue();
  await service.drain();
  expect(await statuses(service)).toEqual({ a: 'sent', b: 'sent' });
  expect(await service.counted({ id })).toBe(3);
  expect(await takeNext(service.em, queue, new Date())).toBeNull();
});

it('sends nothing under a lease that another copy has taken over', async () => {
  await using service = await startUsage();
  const { id } = await service.createCustomer();
  await recordAll(service, id, ['a']);
  const [first] = await leaseQueues(service.em, 1);
  expect(await leaseQueues(service.em, 1)).toEqual([]);
  await service.makeDue();
  const [second] = await leaseQueues(service.em, 1);
  if (!first || !second) throw new Error('No queue is due.');
  expect(await takeNext(service.em, first, new Date())).toBeNull();
  expect(await takeNext(service.em, second, new Date())).toMatchObject({ id: 'a' });
});

it('rejects what the processor refuses, with its reason, and goes on', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  const recent = new Date(Date.now() - 33 * 24 * HOUR_MS).toISOString();
  await service.record([
    { id: 'a', customerId: ada.id, meter: 'none', value: 1 },
    { id: 'old', customerId: ada.id, meter: 'calls', value: 1, at: recent },
    { id: 'c', customerId: ada.id, meter: 'calls', value: 4 },
  ]);
  // As if it had waited for some days.
  await service.em.fork().execute(`update usage_events set at = at - interval '3 days' where id = 'old'`);
  await service.drain();
  expect(await statuses(service)).toEqual({ a: 'rejected', old: 'rejected', c: 'sent' });
  expect(await service.list('?status=rejected&meter=none')).toMatchObject([
    { id: 'a', reason: { code: 'refused', message: expect.stringContaining('No active meter found') } },
  ]);
  const events = await service.published(UsageRejected);
  expect(events.map(({ data }) => data.id).toSorted()).toEqual(['a', 'old']);
  const [event] = (await service.publicEvents()).filter(({ object }) => object.id === 'a');
  expect(event).toMatchObject({
    type: 'usage.rejected',
    object: { type: 'usage', id: 'a', sequence: 1 },
    cause: { type: 'processor' },
    data: { id: 'a', customerId: ada.id, meter: 'none', value: 1, status: 'rejected' },
    previousAttributes: { status: 'pending', reason: null },
  });
  expect((await service.record([{ id: 'a', customerId: ada.id, meter: 'none', value: 1 }])).body).toEqual({
    accepted: 0,
    duplicates: 1,
  });
});

it('rejects what was sent more than 23 hours ago with an unknown outcome, and sends it no more', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await recordAll(service, ada.id, ['a', 'b']);
  await service.control.fail({ path: PATH, mode: 'dropped', times: MANY });
  await service.drain();
  await service.control.clearFaults();
  service.time.aheadMs = 23 * HOUR_MS + 60_000;
  await service.makeDue();
  await service.drain();
  expect(await service.taken(['a', 'b'])).toEqual(['b']);
  expect(await service.list('?status=rejected')).toMatchObject([{ id: 'a', reason: { code: 'outcome_unknown' } }]);
  expect(await service.publicEvents()).toMatchObject([{}, { type: 'usage.rejected', cause: { type: 'system' } }]);
});

it('sends what the processor refused for days because of the secret key', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await recordAll(service, ada.id, ['a', 'b']);
  await service.control.fail({ path: PATH, mode: '401', times: MANY });
  await service.drain();
  await service.makeDue();
  await service.drain();
  await service.control.clearFaults();
  service.time.aheadMs = 48 * HOUR_MS;
  await service.makeDue();
  await service.drain();
  expect(await service.taken(['a', 'b'])).toEqual(['a', 'b']);
});

it('takes a refused secret key for no answer to what was sent before', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await recordAll(service, ada.id, ['a']);
  for (const mode of ['dropped', '401'] as const) {
    await service.control.fail({ path: PATH, mode, times: MANY });
    await service.makeDue();
    await service.drain();
    await service.control.clearFaults();
  }
  service.time.aheadMs = 24 * HOUR_MS;
  await service.makeDue();
  await service.drain();
  expect(await service.list()).toMatchObject([{ id: 'a', status: 'rejected', reason: { code: 'outcome_unknown' } }]);
});

it('sends within 23 hours what had no response before', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await recordAll(service, ada.id, ['a', 'b']);
  await service.control.fail({ path: PATH, mode: 'dropped', times: MANY });
  await service.drain();
  await service.control.clearFaults();
  service.time.aheadMs = 23 * HOUR_MS - 60_000;
  await service.makeDue();
  await service.drain();
  expect(await service.taken(['a', 'b'])).toEqual(['a', 'b']);
});

it('rejects what the processor refuses later, once', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await recordAll(service, ada.id, ['a', 'b']);
  await service.drain();
  await service.check();
  expect(await statuses(service)).toEqual({ a: 'sent', b: 'sent' });
  await service.control.refuseMeterEvent(service.identifier('a'), 'meter_event_invalid_value');
  for (let round = 0; round < 3; round += 1) await service.check();
  expect(await service.list('?status=rejected')).toMatchObject([
    { id: 'a', reason: { code: 'meter_event_invalid_value', message: expect.any(String) }, sentAt: expect.any(String) },
  ]);
  const rejected = (await service.publicEvents()).filter(({ type }) => type === 'usage.rejected');
  expect(rejected).toMatchObject([
    { object: { id: 'a' }, previousAttributes: { status: 'sent', reason: null }, cause: { type: 'processor' } },
  ]);
  expect(await service.counted(ada)).toBe(2);
});

it('rejects usage of a customer that the processor has deleted, and knows of usage that is not ours', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await service.dashboard.customers.del(ada.processorCustomerId);
  await service.dashboard.billing.meterEvents.create({
    event_name: 'calls',
    payload: { stripe_customer_id: 'cus_other', value: '1' },
  });
  await recordAll(service, ada.id, ['a']);
  await service.drain();
  await service.check();
  expect(await service.list('?status=rejected')).toMatchObject([
    { id: 'a', reason: { code: 'meter_event_customer_not_found' } },
  ]);
});

it('reads no reports from before the team sent usage', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await service.dashboard.billing.meterEvents.create({
    event_name: 'calls',
    payload: { stripe_customer_id: 'cus_other', value: '1' },
  });
  service.time.aheadMs = 2 * HOUR_MS;
  await recordAll(service, ada.id, ['a']);
  await service.drain();
  await service.check();
  const { calls } = await service.control.ledger();
  expect(calls).toHaveProperty(['GET /v2/core/events']);
  expect(calls).not.toHaveProperty(['GET /v2/core/events/:id']);
});

it('has a team checked before it sends anything, for the process may die', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await recordAll(service, ada.id, ['a']);
  await service.control.fail({ path: PATH, mode: 'held', times: 1 });
  const draining = service.drain();
  const checks = () => service.em.fork().execute<unknown[]>('select 1 from usage_checks');
  await waitFor(async () => (await checks()).length === 1, { what: 'the team to be checked', timeoutMs: 3_000 });
  expect(await service.taken(['a'])).toEqual([]);
  await service.control.clearFaults();
  await draining;
});

it('reads the reports of a team once at a time, however long that takes, and again soon after a failure', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await recordAll(service, ada.id, ['a']);
  await service.drain();
  const lease = async (minutes: number) => {
    await service.em.fork().execute(`update usage_checks set due_at = due_at - interval '${minutes} minutes'`);
    return leaseChecks(service.em, 1);
  };
  const [check] = await lease(0);
  if (!check) throw new Error('No team is due.');
  expect(await lease(10)).toEqual([]);
  await service.control.fail({ path: '/v2/core/events', mode: '429', times: MANY });
  await checkUsage(service)(check);
  expect(await lease(0)).toEqual([]);
  expect(await lease(1)).toMatchObject([{ teamId: service.scope.teamId, readMs: check.readMs }]);
});

it('ends the checks of a team that has sent nothing for three days', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  await recordAll(service, ada.id, ['a']);
  await service.drain();
  const checks = async () => (await service.em.fork().execute<unknown[]>('select 1 from usage_checks')).length;
  await service.check();
  expect(await checks()).toBe(1);
  await service.em.fork().execute(`update usage_checks set last_sent_at = last_sent_at - interval '73 hours'`);
  await service.check();
  expect(await checks()).toBe(0);
});

it('sends of a team few queues at once, so that others have their turn', async () => {
  await using service = await startUsage();
  const customers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => service.createCustomer({ email: `c${index}@example.com` })),
  );
  await Promise.all(customers.map(({ id }, index) => recordAll(service, id, [`e${index}`])));
  expect(await leaseQueues(service.em, 100)).toHaveLength(8);
  expect(await leaseQueues(service.em, 100)).toEqual([]);
});
