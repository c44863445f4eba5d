import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import { unavailable } from '@billing/contracts/problem';
import { processorEvent } from '@billing/contracts/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Inbox, TOGETHER, type Heard } from '../src/inbox.ts';
import { relayOnce } from '../src/outbox.ts';
import { Counted, projectId, startMessaging, teamId, type Messaging } from './harness.ts';

const POISON = -13;

it('does in one transaction what comes at once, and a fact once however often it is among it', async () => {
  await using messaging = await startMessaging();
  const groups: number[] = [];
  const inbox = inboxOf(messaging, { onGroup: numbers => groups.push(numbers.length) });
  const events = Array.from({ length: 50 }, (_, number) => counted(number));
  const twice = events.flatMap(event => [event, event]);
  const verdicts = await Promise.all(twice.map(event => inbox.receive(event, 1)));
  expect(verdicts.every(({ kind }) => kind === 'done')).toBe(true);
  expect(await messaging.effects()).toEqual(events.map((_, number) => number));
  expect(groups).toEqual([50]);
});

it('does a fact once that copies of the consumer have at the same time, or that comes again after its commit', async () => {
  await using messaging = await startMessaging();
  const copies = [inboxOf(messaging), inboxOf(messaging), inboxOf(messaging)];
  const events = Array.from({ length: 30 }, (_, number) => counted(number));
  await Promise.all(copies.flatMap(copy => events.map(event => copy.receive(event, 1))));
  // The process ended between the commit and the acknowledgement.
  await Promise.all(events.map(event => inboxOf(messaging).receive(event, 2)));
  expect(await messaging.effects()).toEqual(events.map((_, number) => number));
});

it('does together what a process had in hand when it ended, and not what failed before', async () => {
  await using messaging = await startMessaging();
  const groups: number[][] = [];
  let isMended = false;
  const before = async (_tx: EntityManager, number: number) => {
    if (number === POISON && !isMended) throw new Error('It is poison.');
  };
  const inbox = inboxOf(messaging, { before, onGroup: numbers => groups.push([...numbers]) });
  const poison = counted(POISON);
  expect(await inbox.receive(poison, 1)).toMatchObject({ kind: 'again' });
  isMended = true;
  groups.length = 0;
  const events = Array.from({ length: 20 }, (_, number) => counted(number));
  const verdicts = await Promise.all([poison, ...events].map(event => inbox.receive(event, 2)));
  expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['done']));
  expect(groups).toEqual([Array.from({ length: 20 }, (_, number) => number)]);
  expect(await messaging.effects()).toEqual([POISON, ...groups.flat()]);
  expect(await attemptsOf(messaging, poison)).toBeUndefined();
});

it('has a poisonous fact fail alone, wherever it stands among others, and sets it aside after its attempts', async () => {
  await using messaging = await startMessaging();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 39 }), async place => {
      round += 1;
      const inbox = inboxOf(messaging);
      const others = Array.from({ length: 39 }, (_, index) => counted(round * 100 + index));
      const poison = counted(POISON);
      const verdicts = await Promise.all(others.toSpliced(place, 0, poison).map(event => inbox.receive(event, 1)));
      expect(verdicts.map(({ kind }) => kind)).toEqual(others.map(() => 'done').toSpliced(place, 0, 'again'));
      expect((await messaging.effects()).filter(number => number >= round * 100)).toHaveLength(39);
      for (let delivery = 2; delivery <= 3; delivery += 1) await inbox.receive(poison, delivery);
      expect(await attemptsOf(messaging, poison)).toBe(3);
      for (let delivery = 4; delivery <= 8; delivery += 1) await inbox.receive(poison, delivery);
      expect(await attemptsOf(messaging, poison)).toBe(8);
      expect(await isSetAside(messaging, poison)).toBe(true);
    }),
    { numRuns: 5 },
  );
});

it('cuts a group off that hangs, so that only the fact that hangs fails', async () => {
  await using messaging = await startMessaging();
  const holder = messaging.em.fork();
  await holder.begin();
  await holder.execute('set local idle_in_transaction_session_timeout = 0');
  await holder.execute('select pg_advisory_xact_lock(1)');
  const hang = async (tx: EntityManager, number: number) => {
    if (number === POISON) await tx.execute('select pg_advisory_xact_lock(1)');
  };
  const inbox = inboxOf(messaging, { before: hang });
  const verdicts = await Promise.all([1, 2, POISON, 4, 5].map(number => inbox.receive(counted(number), 1)));
  expect(verdicts.map(({ kind }) => kind)).toEqual(['done', 'done', 'again', 'done', 'done']);
  expect(await messaging.effects()).toEqual([1, 2, 4, 5]);
  await holder.rollback();
});

it('gives what is left of a group to its own reaction', async () => {
  await using messaging = await startMessaging();
  const alone: number[] = [];
  const inbox = new Inbox(messaging.em, 'test', messaging.logger)
    .on(Counted, async (tx, { number }) => {
      alone.push(number);
      await addEffects(tx, [number]);
    })
    .together(async (tx, heard) => {
      const even = heard.filter(one => numberOf(one) % 2 === 0);
      await addEffects(tx, even.map(numberOf));
      return even;
    });
  await Promise.all([0, 1, 2, 3, 4].map(number => inbox.receive(counted(number), 1)));
  expect(await messaging.effects()).toEqual([0, 1, 2, 3, 4]);
  expect(alone.toSorted((a, b) => a - b)).toEqual([1, 3]);
});

it('settles every event of the processor that it did together, in the same transaction', async () => {
  await using messaging = await startMessaging();
  const inbox = new Inbox(messaging.em, 'test', messaging.logger)
    .onProcessor(
      'charge.failed',
      async () => undefined,
      async () => undefined,
    )
    .together(async (_tx, heard) => heard);
  await Promise.all(['evt_1', 'evt_2', 'evt_3'].map(eventId => inbox.receive(fromProcessor(eventId), 1)));
  const settled = await messaging.em
    .fork()
    .execute<{ data: unknown }[]>(
      `select data from outbox_events where type = 'processor-event.completed.v1' order by sequence`,
    );
  const about = (eventId: string) => ({ eventId, projectId, outcome: 'processed', error: null, attempts: 1 });
  expect(settled.map(row => row.data)).toEqual([{ completions: ['evt_1', 'evt_2', 'evt_3'].map(about) }]);
});

it('does everything that stands on the bus, in far fewer transactions than facts', async () => {
  await using messaging = await startMessaging();
  const numbers = Array.from({ length: 400 }, (_, number) => number);
  await messaging.say(...numbers);
  while ((await relayOnce(messaging.em, messaging.bus.publish)) > 0);
  let transactions = 0;
  const inbox = inboxOf(messaging, { onGroup: () => (transactions += 1) });
  const stop = await messaging.bus.consume('test', 'test.>', inbox.receive, TOGETHER);
  await waitFor(async () => (await messaging.effects()).length === numbers.length, {
    what: 'every effect',
    timeoutMs: 25_000,
  });
  await stop();
  expect(await messaging.effects()).toEqual(numbers);
  expect(transactions).toBeLessThan(numbers.length / 2);
});

it('spends no attempts while something is away, however often a fact is delivered meanwhile', async () => {
  await using messaging = await startMessaging();
  let away = true;
  const look = async () => {
    if (away) throw unavailable('The processor does not answer.');
  };
  const inbox = new Inbox(messaging.em, 'test', messaging.logger).onLooking(Counted, look, (tx, { number }) =>
    addEffects(tx, [number]),
  );
  const event = counted(1);
  for (let delivery = 1; delivery <= 20; delivery += 1)
    expect(await inbox.receive(event, delivery)).toMatchObject({ kind: 'again' });
  away = false;
  expect(await inbox.receive(event, 21)).toEqual({ kind: 'done' });
  expect(await messaging.effects()).toEqual([1]);
  expect(await isSetAside(messaging, event)).toBe(false);
});

interface Watching {
  readonly onGroup?: (numbers: readonly number[]) => void;
  readonly before?: (tx: EntityManager, number: number) => Promise<void>;
}

/** Adds numbers together and alone, but never the poisonous one. */
function inboxOf({ em, logger }: Messaging, { onGroup, before = refusePoison }: Watching = {}): Inbox {
  const add = async (tx: EntityManager, numbers: readonly number[]) => {
    for (const number of numbers) await before(tx, number);
    await addEffects(tx, numbers);
  };
  return new Inbox(em, 'test', logger)
    .on(Counted, (tx, { number }) => add(tx, [number]))
    .together(async (tx, heard) => {
      const numbers = heard.map(numberOf);
      onGroup?.(numbers);
      await add(tx, numbers);
      return heard;
    });
}

const refusePoison = async (_tx: EntityManager, number: number): Promise<void> => {
  if (number === POISON) throw new Error('unlucky');
};

const addEffects = async (tx: EntityManager, numbers: readonly number[]): Promise<void> => {
  for (const number of numbers) await tx.execute('insert into effects (number) values (?)', [number]);
};

const numberOf = ({ event }: Heard): number => Counted.data.parse(event.data).number;

function counted(number: number): Envelope {
  return { id: randomUUID(), type: Counted.name, teamId, occurredAt: new Date(), data: { number } };
}

function fromProcessor(eventId: string): Envelope {
  const { name, data } = processorEvent('charge.failed');
  const told = { eventId, projectId, apiVersion: null, livemode: false, createdAt: new Date() };
  const content = { routedBy: 'known-id' as const, object: {}, previousAttributes: null };
  return { id: randomUUID(), type: name, teamId, occurredAt: new Date(), data: data.encode({ ...told, ...content }) };
}

async function attemptsOf({ em }: Messaging, { id }: Envelope): Promise<number | undefined> {
  const [row] = await em
    .fork()
    .execute<{ attempts: number }[]>('select attempts from dead_letters where event_id = ?', [id]);
  return row?.attempts;
}

async function isSetAside({ em }: Messaging, { id }: Envelope): Promise<boolean> {
  const rows = await em
    .fork()
    .execute<unknown[]>('select 1 from dead_letters where event_id = ? and set_aside_at is not null', [id]);
  return rows.length > 0;
}
