import { TeamId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startTestService } from '../src/testing/start-test-service.ts';
import { counterService, Factor, NumberCounted, NumberDrawn, Sum } from './counter-service.ts';

const teamId = TeamId.create();
const drawn = (number: number) => newEvent(NumberDrawn, teamId, { number });

it('serves HTTP to identified callers, with the test’s environment', async () => {
  await using service = await startTestService(counterService(), { env: { GREETING: 'good day' } });
  expect(await service.call('GET', '/api/greeting')).toMatchObject({ status: 200, body: { greeting: 'good day' } });
  const posted = await service.call('POST', '/api/greeting', { body: { a: 1 }, as: service.identity.anonymous() });
  expect(posted).toMatchObject({ status: 200, body: { received: { a: 1 } } });
  expect(await service.call('GET', '/api/greeting', { as: {} })).toMatchObject({ status: 401 });
  expect(await service.call('GET', '/health/ready', { as: {} })).toMatchObject({ status: 200 });
});

it('delivers events to their consumer, once each, and returns what was published', async () => {
  await using service = await startTestService(counterService());
  const [first, second] = [drawn(1), drawn(2)];
  await service.deliver(first, second);
  await service.deliver(first);
  const published = await service.published(NumberCounted);
  expect(published.map(({ data }) => data.number).toSorted((a, b) => a - b)).toEqual([1, 2]);
  expect(published[0]).toMatchObject({ type: NumberCounted.name, teamId });
  await expect(service.deliver({ ...first, type: 'test.unknown.v1' })).rejects.toThrow('No consumer');
});

it('redelivers a failing event until it is dead-lettered', async () => {
  await using service = await startTestService(counterService());
  await service.deliver(drawn(-1));
  expect(await service.published()).toEqual([]);
  const rows = await service.em.execute<{ error: string }[]>('select error from dead_letters');
  expect(rows).toEqual([{ error: 'negative' }]);
});

it('stands in for a neighbour until it is stopped', async () => {
  await using service = await startTestService(counterService());
  const stop = await service.serve(Factor, async () => ({ factor: 21 }));
  expect(await service.call('GET', '/api/product')).toMatchObject({ status: 200, body: { product: 42 } });
  await stop();
  expect(await service.call('GET', '/api/product')).toMatchObject({ status: 503 });
});

it('runs consumers, RPC and relay, shared with a second copy', async () => {
  await using service = await startTestService(counterService());
  await using copy = await startTestService(counterService(), { besides: service });
  await service.run();
  await copy.run();
  await service.emit(drawn(1), drawn(2), drawn(3));
  expect(await copy.rpc.call(Sum, {})).toEqual({ sum: 6 });
  expect((await copy.published()).length).toBe(3);
});

it('pauses the writes of a team while too many of its events wait in the outbox', async () => {
  await using service = await startTestService(counterService(), { outboxHighWater: 1 });
  const { teamId: callers } = service.scope;
  await service.em.execute(
    `insert into outbox_messages (id, type, team_id, body, events, trace, created_at, due_at)
     values (gen_random_uuid(), 'test.counted.v1', ?, '[]', 2, '{}', now(), now() + interval '1 hour')`,
    [callers],
  );
  await waitFor(() => service.isTeamOverloaded(callers), { what: 'overload' });
  expect(service.isOverloaded()).toBe(false);
  expect(await service.call('POST', '/api/greeting', { body: {} })).toMatchObject({ status: 429 });
  expect(await service.call('GET', '/api/greeting')).toMatchObject({ status: 200 });
});
