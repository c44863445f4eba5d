import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import { unavailable } from '@billing/contracts/problem';
import { processorEvent } from '@billing/contracts/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Inbox, PermanentFailure } from '../src/inbox.ts';
import { relayOnce } from '../src/outbox.ts';
import { Counted, projectId, startMessaging, teamId, type Messaging } from './harness.ts';

it('reacts once to a fact that is delivered again and again, by two copies at once', async () => {
  await using messaging = await startMessaging();
  const copies = [inboxOf(messaging), inboxOf(messaging)];
  const event = counted(1);
  await Promise.all(copies.flatMap(copy => Array.from({ length: 10 }, () => copy.receive(event, 1))));
  expect(await messaging.effects()).toEqual([1]);
});

it('leaves no half-done effect behind when a reaction fails, and tries again', async () => {
  await using messaging = await startMessaging();
  let attempts = 0;
  const inbox = new Inbox(messaging.em, 'test', messaging.logger).on(Counted, async (tx, { number }) => {
    await addEffect(tx, number);
    if (++attempts === 1) throw new Error('the first attempt fails');
  });
  await messaging.say(7);
  await relayOnce(messaging.em, messaging.bus.publish);
  const stop = await messaging.bus.consume('test', 'test.>', inbox.receive);
  await waitFor(async () => (await messaging.effects()).length > 0, { what: 'the effect' });
  await stop();
  expect(attempts).toBe(2);
  expect(await messaging.effects()).toEqual([7]);
});

it('sets a fact aside after its attempts, with its payload and the reason, and lets the others pass', async () => {
  await using messaging = await startMessaging();
  const inbox = new Inbox(messaging.em, 'test', messaging.logger).on(Counted, async (tx, { number }) => {
    if (number === 13) throw new Error('unlucky');
    await addEffect(tx, number);
  });
  const poison = counted(13);
  const verdicts = [];
  for (let delivery = 1; delivery <= 8; delivery += 1) verdicts.push(await inbox.receive(poison, 1));
  await inbox.receive(counted(1), 1);
  expect(verdicts.map(verdict => verdict.kind)).toEqual([...Array.from({ length: 7 }, () => 'again'), 'done']);
  expect(await messaging.effects()).toEqual([1]);
  expect(await deadLetters(messaging)).toMatchObject([
    { event_id: poison.id, attempts: 8, error: 'unlucky', event: { id: poison.id, data: { number: 13 } } },
  ]);
});

it('sets a fact aside at once when no attempt can help', async () => {
  await using messaging = await startMessaging();
  const inbox = new Inbox(messaging.em, 'test', messaging.logger).on(Counted, async () => {
    throw new PermanentFailure('makes no sense');
  });
  expect(await inbox.receive(counted(1), 1)).toEqual({ kind: 'done' });
  expect(await deadLetters(messaging)).toMatchObject([{ attempts: 1, error: 'makes no sense' }]);
});

it('spends no attempts while something it needs is away', async () => {
  await using messaging = await startMessaging();
  let away = true;
  const look = async () => {
    if (away) throw unavailable('The processor does not answer.');
  };
  const inbox = new Inbox(messaging.em, 'test', messaging.logger).onLooking(Counted, look, (tx, { number }) =>
    addEffect(tx, number),
  );
  const event = counted(1);
  for (let delivery = 1; delivery <= 3; delivery += 1)
    expect(await inbox.receive(event, delivery)).toMatchObject({ kind: 'again' });
  away = false;
  expect(await inbox.receive(event, 3)).toEqual({ kind: 'done' });
  expect(await messaging.effects()).toEqual([1]);
  expect(await deadLetters(messaging)).toEqual([]);
});

it('finds a fact that kills the process by deliveries that never came to an end', async () => {
  await using messaging = await startMessaging();
  const event = counted(1);
  const hanging: Promise<unknown>[] = [];
  const { promise: never, resolve: letGo } = Promise.withResolvers<void>();
  // Each process has an inbox of its own.
  for (let delivery = 4; delivery < 12; delivery += 1) {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const hang = () => (begin(), never);
    const inbox = new Inbox(messaging.em, 'test', messaging.logger).onLooking(Counted, hang, async () => undefined);
    hanging.push(inbox.receive(event, delivery));
    await begun;
  }
  const refuse = () => Promise.reject(new Error('It was begun once more.'));
  const inbox = new Inbox(messaging.em, 'test', messaging.logger).onLooking(Counted, refuse, async () => undefined);
  expect(await inbox.receive(event, 12)).toEqual({ kind: 'done' });
  expect(await deadLetters(messaging)).toHaveLength(1);
  letGo();
  await Promise.all(hanging);
});

it('lets no other fact fall with one that kills the process, however often they are in hand together', async () => {
  await using messaging = await startMessaging();
  const deadly = 7;
  let waiting = Array.from({ length: 20 }, (_, number) => counted(number));
  const { promise: never } = Promise.withResolvers<void>();
  for (let delivery = 1; waiting.length > 0 && delivery < 40; delivery += 1) {
    const { promise: death, resolve: die } = Promise.withResolvers<'dead'>();
    let isDead = false;
    const look = async ({ number }: { number: number }) => {
      if (number === deadly) {
        isDead = true;
        die('dead');
      }
      await delay(100); // others are under way as well
      if (isDead) await never;
    };
    const inbox = new Inbox(messaging.em, 'test', messaging.logger).onLooking(Counted, look, (tx, { number }) =>
      addEffect(tx, number),
    );
    const done = new Set<Envelope>();
    const all = Promise.all(waiting.map(async event => (await inbox.receive(event, delivery), done.add(event))));
    await Promise.race([all, death]);
    waiting = waiting.filter(event => !done.has(event));
  }
  const aside = await deadLetters(messaging);
  expect(aside.map(({ event }) => event.data)).toEqual([{ number: deadly }]);
  expect(await messaging.effects()).toEqual(Array.from({ length: 20 }, (_, n) => n).filter(n => n !== deadly));
});

it('settles a processor event with its effect, and as failed when it is given up', async () => {
  await using messaging = await startMessaging();
  const inbox = new Inbox(messaging.em, 'test', messaging.logger).onProcessor(
    'charge.failed',
    async ({ eventId }) => eventId,
    async (_tx, _data, _event, eventId) => {
      if (eventId === 'evt_bad') throw new PermanentFailure('cannot be read');
    },
  );
  await inbox.receive(fromProcessor('evt_good'), 1);
  await inbox.receive(fromProcessor('evt_bad'), 1);
  const settled = await messaging.em
    .fork()
    .execute(`select data from outbox_events where type = 'processor-event.completed.v1' order by sequence`);
  expect(settled.map(row => row['data'])).toEqual([
    { completions: [{ eventId: 'evt_good', projectId, outcome: 'processed', error: null, attempts: 1 }] },
    { completions: [{ eventId: 'evt_bad', projectId, outcome: 'failed', error: 'cannot be read', attempts: 1 }] },
  ]);
});

it('says how many attempts it took to process an event, and keeps no dead letter of it', async () => {
  await using messaging = await startMessaging();
  let failures = 0;
  const inbox = new Inbox(messaging.em, 'test', messaging.logger).onProcessor(
    'charge.failed',
    async () => undefined,
    async () => {
      if ((failures += 1) <= 4) throw new Error('not yet');
    },
  );
  const event = fromProcessor('evt_late');
  const verdicts = [];
  for (let delivery = 1; delivery <= 5; delivery += 1) verdicts.push((await inbox.receive(event, delivery)).kind);
  expect(verdicts).toEqual(['again', 'again', 'again', 'again', 'done']);
  const { em } = messaging;
  const said = await em.fork().execute<{ data: unknown }[]>('select data from outbox_events');
  expect(said).toMatchObject([
    { data: { completions: [{ eventId: 'evt_late', outcome: 'processed', error: null, attempts: 5 }] } },
  ]);
  expect(await em.fork().execute('select 1 from dead_letters')).toEqual([]);
});

it('ends in the same state for every order and number of deliveries', async () => {
  await using messaging = await startMessaging();
  const inbox = inboxOf(messaging);
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 40 }), async deliveries => {
      round += 1;
      const events = Array.from({ length: 10 }, (_, index) => counted(round * 100 + index));
      await Promise.all(deliveries.map(index => inbox.receive(events[index] ?? counted(-1), 1)));
      const expected = [...new Set(deliveries)].map(index => round * 100 + index).toSorted((a, b) => a - b);
      expect((await messaging.effects()).filter(number => number >= round * 100)).toEqual(expected);
    }),
    { numRuns: 15 },
  );
});

const addEffect = async (tx: EntityManager, number: number): Promise<void> => {
  await tx.execute('insert into effects (number) values (?)', [number]);
};

function inboxOf({ em, logger }: Messaging): Inbox {
  return new Inbox(em, 'test', logger).on(Counted, (tx, { number }) => addEffect(tx, number));
}

function counted(number: number): Envelope {
  return { id: crypto.randomUUID(), type: Counted.name, teamId, occurredAt: new Date(), data: { number } };
}

function fromProcessor(eventId: string): Envelope {
  const { name, data } = processorEvent('charge.failed');
  const said = {
    eventId,
    projectId,
    apiVersion: null,
    livemode: false,
    createdAt: new Date(),
    routedBy: 'known-id' as const,
    object: {},
    previousAttributes: null,
  };
  return { id: crypto.randomUUID(), type: name, teamId, occurredAt: new Date(), data: data.encode(said) };
}

function deadLetters({ em }: Messaging) {
  return em.fork().execute('select * from dead_letters where set_aside_at is not null');
}
