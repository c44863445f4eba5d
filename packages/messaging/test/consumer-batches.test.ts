import type { EntityManager } from '@mikro-orm/postgresql';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import { waitFor } from '@billing/testing/wait-for';
import { consume, receiverOf } from '../src/consumer/consume.ts';
import { consumer, type Consumer } from '../src/consumer/consumer.ts';
import { relayOnce } from '../src/relay.ts';
import {
  addEffect,
  chargeFailed,
  counted,
  Counted,
  projectId,
  startMessaging,
  type Messaging,
} from './start-messaging.ts';

const POISON = -13;

it('handles in one transaction what arrives at once, each event once', async () => {
  await using messaging = await startMessaging();
  const batches: number[] = [];
  const receive = messaging.receiver(storing({ onBatch: numbers => batches.push(numbers.length) }));
  const events = Array.from({ length: 50 }, (_, number) => counted(number));
  const twice = events.flatMap(event => [event, event]);
  const acknowledgements = await Promise.all(twice.map(event => receive(event)));
  expect(acknowledgements.every(({ kind }) => kind === 'ack')).toBe(true);
  expect(await messaging.effects()).toEqual(events.map((_, number) => number));
  expect(batches).toEqual([50]);
});

it('handles an event once when copies receive it together or again after its commit', async () => {
  await using messaging = await startMessaging();
  const copies = [1, 2, 3].map(() => messaging.receiver(storing()));
  const events = Array.from({ length: 30 }, (_, number) => counted(number));
  await Promise.all(copies.flatMap(receive => events.map(event => receive(event))));
  // The process ended between the commit and the acknowledgement.
  const receive = messaging.receiver(storing());
  await Promise.all(events.map(event => receive(event, 2)));
  expect(await messaging.effects()).toEqual(events.map((_, number) => number));
});

it('batches what was in flight when a process ended, but not what failed before', async () => {
  await using messaging = await startMessaging();
  const batches: number[][] = [];
  let isMended = false;
  const before = async (_tx: EntityManager, number: number) => {
    if (number === POISON && !isMended) throw new Error('It is poisoned.');
  };
  const receive = messaging.receiver(storing({ before, onBatch: numbers => batches.push([...numbers]) }));
  const poisoned = counted(POISON);
  expect(await receive(poisoned)).toMatchObject({ kind: 'redeliver' });
  isMended = true;
  batches.length = 0;
  const events = Array.from({ length: 20 }, (_, number) => counted(number));
  const acknowledgements = await Promise.all([poisoned, ...events].map(event => receive(event, 2)));
  expect(new Set(acknowledgements.map(({ kind }) => kind))).toEqual(new Set(['ack']));
  expect(batches.toSorted((a, b) => a.length - b.length)).toEqual([[POISON], events.map((_, number) => number)]);
  expect(await messaging.failures()).toEqual([]);
});

it('fails a poisoned event alone, wherever it stands, and dead-letters it in the end', async () => {
  await using messaging = await startMessaging();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 39 }), async place => {
      round += 1;
      const receive = messaging.receiver(storing());
      const others = Array.from({ length: 39 }, (_, index) => counted(round * 100 + index));
      const poisoned = counted(POISON);
      const acknowledgements = await Promise.all(others.toSpliced(place, 0, poisoned).map(event => receive(event)));
      const expected = others.map(() => 'ack').toSpliced(place, 0, 'redeliver');
      expect(acknowledgements.map(({ kind }) => kind)).toEqual(expected);
      expect((await messaging.effects()).filter(number => number >= round * 100)).toHaveLength(39);
      for (let attempt = 2; attempt <= 3; attempt += 1) await receive(poisoned, attempt);
      expect(await failureOf(messaging, poisoned)).toMatchObject({ attempts: 3, is_dead: false });
      for (let attempt = 4; attempt <= 8; attempt += 1) await receive(poisoned, attempt);
      expect(await failureOf(messaging, poisoned)).toMatchObject({ attempts: 8, is_dead: true });
    }),
    { numRuns: runs(5) },
  );
});

it('ends a batch that is stuck, so that only the stuck event fails', async () => {
  await using messaging = await startMessaging();
  const holder = messaging.em.fork();
  await holder.begin();
  await holder.execute('set local idle_in_transaction_session_timeout = 0');
  await holder.execute('select pg_advisory_xact_lock(1)');
  const waitForLock = async (tx: EntityManager, number: number) => {
    if (number === POISON) await tx.execute('select pg_advisory_xact_lock(1)');
  };
  const receive = messaging.receiver(storing({ before: waitForLock }));
  const acknowledgements = await Promise.all([1, 2, POISON, 4, 5].map(number => receive(counted(number))));
  expect(acknowledgements.map(({ kind }) => kind)).toEqual(['ack', 'ack', 'redeliver', 'ack', 'ack']);
  expect(await messaging.effects()).toEqual([1, 2, 4, 5]);
  await holder.rollback();
});

it('handles what needs preparation after the rest of its batch', async () => {
  await using messaging = await startMessaging();
  const prepared: number[] = [];
  const receive = messaging.receiver(
    consumer('test', 'test.>').on(Counted, {
      prepare: async ({ data }) => prepared.push(data.number),
      handle: async (tx, deliveries) => {
        const needs = deliveries.filter(({ data, context }) => data.number % 2 === 1 && context === undefined);
        for (const delivery of deliveries) if (!needs.includes(delivery)) await addEffect(tx, delivery.data.number);
        return needs;
      },
    }),
  );
  await Promise.all([0, 1, 2, 3, 4].map(number => receive(counted(number))));
  expect(await messaging.effects()).toEqual([0, 1, 2, 3, 4]);
  expect(prepared.toSorted((a, b) => a - b)).toEqual([1, 3]);
});

it('reports all Stripe events of a batch in one event, in the same transaction', async () => {
  await using messaging = await startMessaging();
  const receive = messaging.receiver(
    consumer('test', 'processor.>').onProcessorEvent('charge.failed', async () => undefined),
  );
  await Promise.all(['evt_1', 'evt_2', 'evt_3'].map(eventId => receive(chargeFailed(eventId))));
  const completed = (eventId: string) => ({
    eventId,
    projectId,
    routedBy: 'known-id',
    outcome: 'processed',
    error: null,
    attempts: 1,
  });
  expect((await messaging.outboxEvents()).map(event => event.data)).toEqual([
    { completions: ['evt_1', 'evt_2', 'evt_3'].map(completed) },
  ]);
});

it('handles everything on the bus in far fewer transactions than events', async () => {
  await using messaging = await startMessaging();
  const numbers = Array.from({ length: 400 }, (_, number) => number);
  await messaging.publish(...numbers);
  while ((await relayOnce(messaging.em, messaging.bus.publish)) > 0);
  let transactions = 0;
  const counting = storing({ onBatch: () => (transactions += 1) });
  const stop = await consume(messaging.bus, counting, receiverOf(counting, messaging));
  await waitFor(async () => (await messaging.effects()).length === numbers.length, {
    what: 'every effect',
  });
  await stop();
  expect(await messaging.effects()).toEqual(numbers);
  expect(transactions).toBeLessThan(numbers.length / 2);
});

interface StoringOptions {
  readonly onBatch?: (numbers: readonly number[]) => void;
  readonly before?: (tx: EntityManager, number: number) => Promise<void>;
}

/** Stores the numbers of a batch, but never the poisoned one. */
function storing({ onBatch, before = refusePoison }: StoringOptions = {}): Consumer {
  return consumer('test', 'test.>').on(Counted, async (tx, deliveries) => {
    const numbers = deliveries.map(({ data }) => data.number);
    onBatch?.(numbers);
    for (const number of numbers) await before(tx, number);
    for (const number of numbers) await addEffect(tx, number);
  });
}

async function refusePoison(_tx: EntityManager, number: number): Promise<void> {
  if (number === POISON) throw new Error('unlucky');
}

async function failureOf({ failures }: Messaging, { id }: Envelope) {
  return (await failures()).find(failure => failure.event_id === id);
}
