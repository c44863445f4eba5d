import { DiscardPolicy, jetstreamManager, type JetStreamManager, StorageType } from '@nats-io/jetstream';
import { defineEvent } from '@billing/contracts/event';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openBus } from '../src/bus.ts';
import { relayOnce, startRelay } from '../src/relay.ts';
import { publishAlone, startMessaging, teamId, type Messaging } from './start-messaging.ts';

const Large = defineEvent('test.large.v1', z.object({ text: z.string() }));

const EVENTS = 200;
/** Room for a part of them. */
const SMALL = 32_768;

it('loses nothing to a full stream, and publishes the rest once there is room', async () => {
  await using messaging = await startMessaging();
  const { em, logger } = messaging;
  await using small = await openSmallBus();
  const relay = startRelay({ em, publish: small.bus.publish, intervalMs: 20, logger });
  await publishAlone(messaging.outbox, EVENTS);

  const stored = await waitFor(
    async () => {
      const counts = [await small.stored(), await unpublished(messaging)] as const;
      return counts[0] > 0 && counts[0] + counts[1] === EVENTS ? counts[0] : undefined;
    },
    { what: 'the stream to be full' },
  );
  expect(stored).toBeLessThan(EVENTS);
  expect(await small.first()).toBe(1);

  await small.makeRoom();
  await waitFor(async () => (await unpublished(messaging)) === 0, { what: 'the outbox to drain' });
  expect(await small.numbers()).toEqual(Array.from({ length: EVENTS }, (_, number) => number));
  await relay.stop();
});

it('S76: leaves room in a crowded stream for others than the team that fills it', async () => {
  await using messaging = await startMessaging();
  const { em, logger, outbox } = messaging;
  await using small = await openSmallBus(1_024 ** 2);
  const relay = startRelay({ em, publish: small.bus.publish, intervalMs: 20, logger });
  for (let index = 0; index < 400; index += 1)
    await outbox.transaction(async (_tx, publish) => publish(Large, teamId, { text: 'x'.repeat(3_000) }));
  const onlyHeldBack = async () => {
    const held = await heldBack(messaging);
    return held > 0 && held === (await unpublished(messaging)) ? held : undefined;
  };
  const held = await waitFor(onlyHeldBack, { what: 'the team to be held back' });
  expect(await small.bytes()).toBeLessThan(0.65 * 1_024 ** 2);

  await publishAlone(outbox, 100);
  await waitFor(async () => (await unpublished(messaging)) === held, { what: 'the events of others to be published' });
  expect(await small.stored()).toBe(400 - held + 100);
  await relay.stop();

  await small.purge();
  await waitFor(
    async () => {
      await em.fork().execute('update outbox_messages set due_at = now() where due_at is not null');
      await relayOnce(em, small.bus.publish);
      return (await unpublished(messaging)) === 0;
    },
    { what: 'the team to go on once there is room' },
  );
});

it('does not start on a stream that discards old events', async () => {
  await using nats = await connectedNats();
  const jsm = await jetstreamManager(nats.connection);
  const root = testBusRoot();
  await jsm.streams.add({ name: root.toUpperCase(), subjects: [`${root}.>`], discard: DiscardPolicy.Old });
  const opening = openBus({ nats: nats.connection, inbox: '_INBOX', logger: pino({ level: 'silent' }), root });
  await expect(opening).rejects.toThrow('discards old messages');
  await jsm.streams.delete(root.toUpperCase());
});

async function connectedNats() {
  const connection = await connectTestNats();
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}

/** A bus whose stream is small; an operator may give a stream other limits than it was made with. */
async function openSmallBus(maxBytes = SMALL) {
  const resources = new AsyncDisposableStack();
  const nats = resources.adopt(await connectTestNats(), connection => connection.close());
  const jsm = await jetstreamManager(nats);
  const root = testBusRoot();
  const name = root.toUpperCase();
  const settings = { subjects: [`${root}.>`], storage: StorageType.File, discard: DiscardPolicy.New };
  await jsm.streams.add({ name, ...settings, max_bytes: maxBytes });
  const bus = await openBus({ nats, inbox: '_INBOX', logger: pino({ level: 'silent' }), root });
  resources.defer(bus.remove);
  const state = async () => (await jsm.streams.info(name)).state;
  return {
    bus,
    stored: async () => (await state()).messages,
    bytes: async () => (await state()).bytes,
    purge: () => jsm.streams.purge(name),
    first: async () => (await state()).first_seq,
    makeRoom: () => jsm.streams.update(name, { max_bytes: 1_024 ** 2 }),
    /** Of every stored event, smallest first. */
    numbers: async () => {
      const { messages } = await state();
      const all = await Promise.all(Array.from({ length: messages }, (_, at) => numberAt(jsm, name, at + 1)));
      return all.toSorted((a, b) => a - b);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function numberAt(jsm: JetStreamManager, stream: string, seq: number): Promise<number> {
  const message = await jsm.streams.getMessage(stream, { seq });
  return message?.json<{ data: { number: number } }[]>()[0]?.data.number ?? Number.NaN;
}

/** Messages that no relay works on, and that wait. */
async function heldBack({ em }: Messaging): Promise<number> {
  const waiting = 'select 1 from outbox_messages where due_at > clock_timestamp() and lease_id is null';
  return (await em.fork().execute(waiting)).length;
}

async function unpublished({ em }: Messaging): Promise<number> {
  return (await em.fork().execute('select 1 from outbox_messages where published_at is null')).length;
}
