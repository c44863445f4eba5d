import { randomUUID } from 'node:crypto';
import { TeamId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { Envelope } from '@billing/contracts/event';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { dropDeadLetters, retryDeadLetters } from '../src/change-dead-letters.ts';
import { receiverOf } from '../src/consumer/consume.ts';
import { consumer, type Consumer } from '../src/consumer/consumer.ts';
import { startDeadLetterRetries } from '../src/consumer/retry-dead-letters.ts';
import { toDelivery } from '../src/bus.ts';
import { PermanentFailure } from '../src/failure-reason.ts';
import { findDeadLetter, listDeadLetters } from '../src/find-dead-letters.ts';
import { addEffect, chargeFailed, counted, Counted, startMessaging, teamId } from './start-messaging.ts';

/** Stores numbers, after `before` has let it. */
const storing = (before: () => unknown = () => undefined, name = 'test'): Consumer =>
  consumer(name, 'test.>').on(Counted, async (tx, deliveries) => {
    await before();
    for (const { data } of deliveries) await addEffect(tx, data.number);
  });

const failing = (message = 'the table is missing') => {
  throw new PermanentFailure(message);
};

/** A service with dead letters of a consumer whose handler fails until `mend` is called. */
async function startLetters(...events: readonly Envelope[]) {
  const resources = new AsyncDisposableStack();
  const messaging = resources.use(await startMessaging());
  const { em, logger, outbox } = messaging;
  let onHandle: () => unknown = () => failing();
  const handler = storing(() => onHandle());
  const receive = receiverOf(handler, { outbox, logger });
  for (const event of events) await receive(toDelivery(event, 1));
  const letters = async (ofTeam: TeamId | null = null) =>
    (await listDeadLetters(em, 'portal', { teamId: ofTeam }, { limit: 100, offset: 0 }))[0].map(({ letter }) => letter);
  return {
    ...messaging,
    handler,
    letters,
    letter: async () => {
      const [first] = await letters();
      if (!first) throw new Error('There is no dead letter.');
      return first;
    },
    onHandle: (next: () => unknown) => void (onHandle = next),
    retry: async (filter: Partial<Parameters<typeof retryDeadLetters>[2]> = {}) =>
      outbox.transaction(tx => retryDeadLetters(tx, 'portal', { teamId: null, ...filter })),
    drop: async (filter: Partial<Parameters<typeof retryDeadLetters>[2]> = {}) =>
      outbox.transaction(tx => dropDeadLetters(tx, 'portal', { teamId: null, ...filter })),
    /** Retries letters in one more copy of the service, until the test ends. */
    startRetries: (consumers: readonly Consumer[] = [handler]) => {
      const receiving = consumers.map(one => ({ consumer: one, receive: receiverOf(one, { outbox, logger }) }));
      resources.defer(startDeadLetterRetries({ em, consumers: receiving, intervalMs: 20, logger }).stop);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

it('handles a retried dead letter once the fault is mended, and deletes it', async () => {
  await using service = await startLetters(counted(1));
  service.onHandle(() => undefined);
  service.startRetries();
  expect(await service.letter()).toMatchObject({ status: 'failed', error: 'the table is missing', attempts: 1 });
  expect(await service.effects()).toEqual([]);
  expect(await service.retry()).toEqual([{ teamId, count: 1 }]);
  await waitFor(async () => (await service.letters()).length === 0, { what: 'the retry' });
  expect(await service.effects()).toEqual([1]);
});

it('makes a retry that fails a dead letter again, with the new error, after one attempt', async () => {
  await using service = await startLetters(counted(1));
  const { id } = await service.letter();
  service.onHandle(() => {
    throw new Error('another fault');
  });
  service.startRetries();
  await service.retry();
  const failedAgain = async () => {
    const letter = await service.letter();
    return letter.attempts === 2 && letter.status === 'failed' ? letter : undefined;
  };
  expect(await waitFor(failedAgain, { what: 'the failure' })).toMatchObject({ id });
  expect(await service.failures()).toMatchObject([{ attempts: 2, error: 'another fault', is_dead: true }]);
  expect(await service.effects()).toEqual([]);

  service.onHandle(() => undefined);
  await service.retry();
  await waitFor(async () => (await service.letters()).length === 0, { what: 'the second retry' });
  expect(await service.effects()).toEqual([1]);
});

it('retries a letter once, however often and by however many copies', async () => {
  await using service = await startLetters(...[1, 2, 3, 4, 5].map(counted));
  service.onHandle(() => undefined);
  service.startRetries();
  service.startRetries();
  const counts = await Promise.all(Array.from({ length: 8 }, () => service.retry()));
  expect(counts.flat().reduce((sum, { count }) => sum + count, 0)).toBe(5);
  await waitFor(async () => (await service.letters()).length === 0, { what: 'the retries' });
  expect(await service.effects()).toEqual([1, 2, 3, 4, 5]);
});

it('waits while something is unavailable, counts nothing, and goes on by itself', async () => {
  await using service = await startLetters(counted(1));
  let calls = 0;
  service.onHandle(() => {
    calls += 1;
    // More often than a delivery may end unfinished before it is suspected of crashing the process.
    if (calls <= 3) throw unavailable('Stripe does not respond.');
  });
  service.startRetries();
  await service.retry();
  const hurry = () =>
    service.em.fork().execute(`update dead_letters set due_at = now() where lease_id is null and due_at is not null`);
  await waitFor(async () => (await hurry(), (await service.letters()).length === 0), { what: 'the retry' });
  expect(await service.effects()).toEqual([1]);
  expect(calls).toBe(4);
});

it('goes on with a retry whose process died', async () => {
  await using service = await startLetters(counted(1));
  service.onHandle(() => undefined);
  await service.retry();
  // What a process that died in the middle leaves: no effect, and a lease that has ended.
  await service.em
    .fork()
    .execute(`update dead_letters set lease_id = gen_random_uuid(), deliveries = 1, due_at = clock_timestamp()`);
  service.startRetries();
  await waitFor(async () => (await service.letters()).length === 0, { what: 'the retry' });
  expect(await service.effects()).toEqual([1]);
});

it('does not handle again what was handled before, and deletes its letter', async () => {
  const event = counted(1);
  await using service = await startLetters(event);
  service.onHandle(() => undefined);
  await service.em
    .fork()
    .execute(`insert into processed_events (consumer, event_id, processed_at) values ('test', ?, now())`, [event.id]);
  service.startRetries();
  await service.retry();
  await waitFor(async () => (await service.letters()).length === 0, { what: 'the retry' });
  expect(await service.effects()).toEqual([]);
});

it('says so when no consumer handles such events any more', async () => {
  await using service = await startLetters(counted(1));
  service.startRetries([storing(() => undefined, 'renamed')]);
  await service.retry();
  const isBack = async () => (await service.letter()).error.includes('does not handle such events any more');
  await waitFor(isBack, { what: 'the failure' });
  expect(await service.letter()).toMatchObject({ status: 'failed', attempts: 1 });
});

it('reports a retried webhook event as processed, with all its attempts', async () => {
  await using service = await startMessaging();
  const { em, logger, outbox } = service;
  let isMended = false;
  const charges = consumer('charges', 'processor.>').onProcessorEvent('charge.failed', async () => {
    if (!isMended) failing();
  });
  const receive = receiverOf(charges, { outbox, logger });
  await receive(toDelivery(chargeFailed('evt_1'), 1));
  isMended = true;
  const loop = startDeadLetterRetries({ em, consumers: [{ consumer: charges, receive }], intervalMs: 20, logger });
  await outbox.transaction(tx => retryDeadLetters(tx, 'portal', { teamId }));
  await waitFor(async () => (await service.failures()).length === 0, { what: 'the retry' });
  await loop.stop();
  expect((await service.outboxEvents()).map(({ data }) => data)).toMatchObject([
    { completions: [{ eventId: 'evt_1', outcome: 'failed', attempts: 1 }] },
    { completions: [{ eventId: 'evt_1', outcome: 'processed', error: null, attempts: 2 }] },
  ]);
});

it('deletes the letter of a webhook event whose replay is handled, and no other', async () => {
  await using service = await startMessaging();
  let isMended = false;
  const charges = consumer('charges', 'processor.>').onProcessorEvent('charge.failed', async () => {
    if (!isMended) failing();
  });
  const receive = receiverOf(charges, service);
  await receive(toDelivery(chargeFailed('evt_1'), 1));
  await receive(toDelivery(chargeFailed('evt_2'), 1));
  const replay = () => {
    const event = chargeFailed('evt_1');
    return { ...event, data: { ...Object(event.data), replays: 1 } };
  };
  await receive(toDelivery(replay(), 1));
  expect(await service.failures()).toHaveLength(3);
  isMended = true;
  await receive(toDelivery({ ...replay(), teamId: TeamId.create() }, 1));
  expect(await service.failures()).toHaveLength(3);
  await receive(toDelivery(replay(), 1));
  expect((await service.failures()).map(({ event }) => event.data)).toMatchObject([{ eventId: 'evt_2' }]);
});

it('touches only letters of the team, and those that match', async () => {
  const other = TeamId.create();
  await using service = await startLetters(counted(1), counted(2), { ...counted(3), teamId: other });
  const ofOther = (await service.letters(other))[0]?.id ?? '';
  const { em } = service;
  expect(await findDeadLetter(em, 'portal', { teamId, id: ofOther })).toBeNull();
  expect(await findDeadLetter(em, 'portal', { teamId: other, id: ofOther })).toMatchObject({
    letter: { data: { number: 3 } },
  });
  expect(
    await findDeadLetter(em, 'portal', { teamId, id: `dl_portal_${randomUUID().replaceAll('-', '')}` }),
  ).toBeNull();
  for (const change of [service.retry, service.drop]) {
    expect(await change({ teamId, id: ofOther })).toEqual([]);
    expect(await change({ teamId, consumer: 'another' })).toEqual([]);
    expect(await change({ teamId, type: 'another' })).toEqual([]);
    // An id of another service's table, which has the same digits.
    expect(await change({ teamId: other, id: ofOther.replace('portal', 'catalog') })).toEqual([]);
  }
  expect(await service.drop({ teamId, consumer: 'test', type: Counted.name })).toEqual([{ teamId, count: 2 }]);
  expect(await service.letters()).toMatchObject([{ id: ofOther, status: 'failed' }]);
});

it('gives a dropped event no effect when it is delivered once more', async () => {
  const event = counted(1);
  await using service = await startLetters(event);
  expect(await service.drop()).toEqual([{ teamId, count: 1 }]);
  service.onHandle(() => undefined);
  await receiverOf(service.handler, service)(toDelivery(event, 1));
  expect(await service.effects()).toEqual([]);
  expect(await service.letters()).toEqual([]);
});

it('drops no letter that is being retried', async () => {
  await using service = await startLetters(counted(1));
  await service.retry();
  expect(await service.letters()).toMatchObject([{ status: 'retrying' }]);
  expect(await service.drop()).toEqual([]);
  service.onHandle(() => undefined);
  service.startRetries();
  await waitFor(async () => (await service.letters()).length === 0, { what: 'the retry' });
  expect(await service.effects()).toEqual([1]);
});

it('lists letters newest first, in pages, without those that are still tried', async () => {
  await using service = await startLetters(...[1, 2, 3].map(counted));
  service.onHandle(() => {
    throw new Error('tried again');
  });
  await receiverOf(service.handler, service)(toDelivery(counted(4), 1));
  const all = await service.letters();
  expect(all).toHaveLength(3);
  expect(all.map(({ failedAt }) => failedAt.getTime())).toEqual(
    all.map(({ failedAt }) => failedAt.getTime()).toSorted((a, b) => b - a),
  );
  const [page, total] = await listDeadLetters(service.em, 'portal', { teamId }, { limit: 2, offset: 1 });
  expect([page.map(({ letter }) => letter), total]).toEqual([all.slice(1), 3]);
});
