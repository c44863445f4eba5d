import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import { unavailable } from '@billing/contracts/problem';
import { startLink } from '@billing/testing/link';
import { waitFor } from '@billing/testing/wait-for';
import { openDatabase } from '@billing/database/database';
import { toDelivery } from '../src/bus.ts';
import { consume, receiverOf } from '../src/consumer/consume.ts';
import { consumer, type Consumer } from '../src/consumer/consumer.ts';
import { PermanentFailure } from '../src/failure-reason.ts';
import type { Delivery } from '../src/consumer/delivery.ts';
import { openOutbox } from '../src/outbox.ts';
import { relayOnce } from '../src/relay.ts';
import { messagingEntities, messagingMigrations } from '../src/tables.ts';
import { addEffect, chargeFailed, counted, Counted, projectId, startMessaging } from './start-messaging.ts';

it('handles an event once, however often two copies receive it', async () => {
  await using messaging = await startMessaging();
  const copies = [messaging.receiver(storing()), messaging.receiver(storing())];
  const event = counted(1);
  await Promise.all(copies.flatMap(receive => Array.from({ length: 10 }, () => receive(event))));
  expect(await messaging.effects()).toEqual([1]);
});

it('leaves no half-done effect when a handler fails, and tries again', async () => {
  await using messaging = await startMessaging();
  let attempts = 0;
  const failingOnce = consumer('test', 'test.>').on(Counted, async (tx, deliveries) => {
    for (const { data } of deliveries) await addEffect(tx, data.number);
    if (++attempts === 1) throw new Error('the first attempt fails');
  });
  await messaging.publish(7);
  await relayOnce(messaging.em, messaging.bus.publish);
  const stop = await consume(messaging.bus, failingOnce, receiverOf(failingOnce, messaging));
  await waitFor(async () => (await messaging.effects()).length > 0, { what: 'the effect' });
  await stop();
  expect(attempts).toBe(2);
  expect(await messaging.effects()).toEqual([7]);
});

it('dead-letters an event after eight attempts, with payload and reason', async () => {
  await using messaging = await startMessaging();
  const receive = messaging.receiver(
    storing(async ({ data }) => {
      if (data.number === 13) throw new Error('unlucky');
    }),
  );
  const poisoned = counted(13);
  const kinds = [];
  for (let attempt = 1; attempt <= 8; attempt += 1) kinds.push((await receive(poisoned)).kind);
  await receive(counted(1));
  expect(kinds).toEqual([...Array.from({ length: 7 }, () => 'redeliver'), 'ack']);
  expect(await messaging.effects()).toEqual([1]);
  expect(await messaging.failures()).toMatchObject([
    {
      event_id: poisoned.id,
      attempts: 8,
      error: 'unlucky',
      is_dead: true,
      event: { id: poisoned.id, data: { number: 13 } },
    },
  ]);
});

it('dead-letters an event at once after a permanent failure', async () => {
  await using messaging = await startMessaging();
  const receive = messaging.receiver(storing(() => Promise.reject(new PermanentFailure('makes no sense'))));
  expect(await receive(counted(1))).toEqual({ kind: 'ack' });
  expect(await messaging.failures()).toMatchObject([{ attempts: 1, error: 'makes no sense', is_dead: true }]);
});

it('counts no attempts while a dependency is unavailable', async () => {
  await using messaging = await startMessaging();
  let isAway = true;
  const receive = messaging.receiver(
    preparing(async () => {
      if (isAway) throw unavailable('Stripe does not respond.');
    }),
  );
  const event = counted(1);
  for (let attempt = 1; attempt <= 20; attempt += 1)
    expect(await receive(event, attempt)).toMatchObject({ kind: 'redeliver' });
  isAway = false;
  expect(await receive(event, 21)).toEqual({ kind: 'ack' });
  expect(await messaging.effects()).toEqual([1]);
  expect(await messaging.failures()).toEqual([]);
});

it('counts no attempts while the database comes and goes', async () => {
  await using messaging = await startMessaging();
  await using link = await startLink(messaging.database.config.get('clientUrl', ''));
  await using resources = new AsyncDisposableStack();
  const settings = { service: 'portal', entities: messagingEntities, migrations: messagingMigrations } as const;
  const database = resources.adopt(openDatabase({ ...settings, url: link.url }), opened => opened.close());
  let onHandle: () => Promise<void> = () => link.cut();
  const cutOff = storing(() => onHandle());
  const receive = receiverOf(cutOff, { outbox: openOutbox(database.em), logger: messaging.logger });
  const event = counted(1);
  // More deliveries than there are attempts, all of them counted in advance.
  for (let attempt = 4; attempt <= 14; attempt += 1) {
    expect(await receive(toDelivery(event, attempt))).toMatchObject({ kind: 'redeliver' });
    await link.mend();
  }
  onHandle = async () => undefined;
  expect(await receive(toDelivery(event, 15))).toEqual({ kind: 'ack' });
  expect(await messaging.effects()).toEqual([1]);
  expect(await messaging.failures()).toEqual([]);
});

it('finds an event that crashes the process by deliveries that never finished', async () => {
  await using messaging = await startMessaging();
  const event = counted(1);
  const hanging: Promise<unknown>[] = [];
  const { promise: never, resolve: letGo } = Promise.withResolvers<void>();
  // Each process has a receiver of its own.
  for (let attempt = 4; attempt < 12; attempt += 1) {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const receive = messaging.receiver(preparing(() => (begin(), never)));
    hanging.push(receive(event, attempt));
    await begun;
  }
  const receive = messaging.receiver(preparing(() => Promise.reject(new Error('It was handled once more.'))));
  expect(await receive(event, 12)).toEqual({ kind: 'ack' });
  expect(await messaging.failures()).toMatchObject([{ event_id: event.id, is_dead: true }]);
  letGo();
  await Promise.all(hanging);
});

it('dead-letters no other event beside one that crashes the process', async () => {
  await using messaging = await startMessaging();
  const crashing = 7;
  let waiting = Array.from({ length: 20 }, (_, number) => counted(number));
  const { promise: never } = Promise.withResolvers<void>();
  for (let attempt = 1; waiting.length > 0 && attempt < 40; attempt += 1) {
    const { promise: crashed, resolve: crash } = Promise.withResolvers<'crashed'>();
    let isCrashed = false;
    const receive = messaging.receiver(
      preparing(async ({ data }) => {
        if (data.number === crashing) {
          isCrashed = true;
          crash('crashed');
        }
        // Others are in flight as well.
        await new Promise(resolve => setImmediate(resolve));
        if (isCrashed) await never;
      }),
    );
    const done = new Set<Envelope>();
    const all = Promise.all(waiting.map(async event => (await receive(event, attempt), done.add(event))));
    await Promise.race([all, crashed]);
    waiting = waiting.filter(event => !done.has(event));
  }
  const dead = (await messaging.failures()).filter(failure => failure.is_dead);
  expect(dead.map(({ event }) => event.data)).toEqual([{ number: crashing }]);
  expect(await messaging.effects()).toEqual(Array.from({ length: 20 }, (_, n) => n).filter(n => n !== crashing));
});

it('reports a Stripe event as processed with its effect, and as failed with its dead letter', async () => {
  await using messaging = await startMessaging();
  const receive = messaging.receiver(
    consumer('test', 'processor.>').onProcessorEvent('charge.failed', async (_tx, deliveries) => {
      if (deliveries.some(({ data }) => data.eventId === 'evt_bad')) throw new PermanentFailure('cannot be read');
    }),
  );
  await receive(chargeFailed('evt_good'));
  await receive(chargeFailed('evt_bad'));
  expect((await messaging.outboxEvents()).map(event => event.data)).toEqual([
    {
      completions: [
        { eventId: 'evt_good', projectId, routedBy: 'known-id', outcome: 'processed', error: null, attempts: 1 },
      ],
    },
    {
      completions: [
        {
          eventId: 'evt_bad',
          projectId,
          routedBy: 'known-id',
          outcome: 'failed',
          error: 'cannot be read',
          attempts: 1,
        },
      ],
    },
  ]);
});

it('reports no message of the database or a library as the reason of a failure', async () => {
  await using messaging = await startMessaging();
  const refusal = 'insert or update on table "secret_table" violates a constraint';
  const receive = messaging.receiver(
    consumer('test', 'processor.>').onProcessorEvent('charge.failed', async () => {
      throw new Error(refusal);
    }),
  );
  for (let attempt = 1; attempt <= 8; attempt += 1)
    await receive(chargeFailed('evt_1', { id: '8a3f2f0e-2b4c-4d8e-9f10-0123456789ab' }));
  expect(await messaging.failures()).toMatchObject([{ error: refusal, is_dead: true }]);
  const [reported] = (await messaging.outboxEvents()).map(({ data }) => JSON.stringify(data));
  expect(reported).toContain('an unexpected error on our side');
  expect(reported).not.toContain('secret_table');
});

it('reports how many attempts an event took, and deletes its failures', async () => {
  await using messaging = await startMessaging();
  let failures = 0;
  const receive = messaging.receiver(
    consumer('test', 'processor.>').onProcessorEvent('charge.failed', async () => {
      if ((failures += 1) <= 4) throw new Error('not yet');
    }),
  );
  const event = chargeFailed('evt_late');
  const kinds = [];
  for (let attempt = 1; attempt <= 5; attempt += 1) kinds.push((await receive(event, attempt)).kind);
  expect(kinds).toEqual(['redeliver', 'redeliver', 'redeliver', 'redeliver', 'ack']);
  expect(await messaging.outboxEvents()).toMatchObject([
    { data: { completions: [{ eventId: 'evt_late', outcome: 'processed', error: null, attempts: 5 }] } },
  ]);
  expect(await messaging.failures()).toEqual([]);
});

it('prepares again when what was found is outdated, and waits when it always is', async () => {
  await using messaging = await startMessaging();
  let version = 0;
  let changesOn = 2;
  const receive = messaging.receiver(
    consumer('test', 'test.>').on(Counted, {
      prepare: async () => version,
      handle: async (tx, deliveries) => {
        if (deliveries.every(({ context }) => context === undefined)) return deliveries;
        if (changesOn > 0) {
          changesOn -= 1;
          version += 1;
        }
        const outdated = deliveries.filter(({ context }) => context !== version);
        for (const delivery of deliveries) if (!outdated.includes(delivery)) await addEffect(tx, delivery.data.number);
        return outdated;
      },
    }),
  );
  expect(await receive(counted(1))).toEqual({ kind: 'ack' });
  changesOn = Number.MAX_SAFE_INTEGER;
  expect(await receive(counted(2))).toMatchObject({ kind: 'redeliver' });
  expect(await messaging.effects()).toEqual([1]);
  expect(await messaging.failures()).toEqual([]);
});

it('ends in the same state for every order and number of deliveries', async () => {
  await using messaging = await startMessaging();
  const receive = messaging.receiver(storing());
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 40 }), async deliveries => {
      round += 1;
      const events = Array.from({ length: 10 }, (_, index) => counted(round * 100 + index));
      await Promise.all(deliveries.map(index => receive(events[index] ?? counted(-1))));
      const expected = [...new Set(deliveries)].map(index => round * 100 + index).toSorted((a, b) => a - b);
      expect((await messaging.effects()).filter(number => number >= round * 100)).toEqual(expected);
    }),
    { numRuns: runs(15) },
  );
});

type CountedDelivery = Delivery<{ number: number }>;

/** Stores the number of each event, after `before`. */
function storing(before: (delivery: CountedDelivery) => Promise<void> = async () => undefined): Consumer {
  return consumer('test', 'test.>').on(Counted, async (tx, deliveries) => {
    for (const delivery of deliveries) {
      await before(delivery);
      await addEffect(tx, delivery.data.number);
    }
  });
}

/** Stores the number of each event once it was prepared. */
function preparing(find: (delivery: CountedDelivery) => Promise<void>): Consumer {
  return consumer('test', 'test.>').on(Counted, {
    prepare: async delivery => {
      await find(delivery);
      return 'prepared';
    },
    handle: async (tx, deliveries) => {
      for (const { context, data } of deliveries) if (context) await addEffect(tx, data.number);
      return deliveries.filter(({ context }) => !context);
    },
  });
}
