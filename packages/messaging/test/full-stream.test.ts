import { DiscardPolicy, jetstreamManager, type JetStreamManager, StorageType } from '@nats-io/jetstream';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openBus } from '../src/bus.ts';
import { startRelay } from '../src/relay.ts';
import { startMessaging, type Messaging } from './start-messaging.ts';

const EVENTS = 200;
/** Room for a part of them. */
const SMALL = 32_768;

it('loses nothing to a full stream, and publishes the rest once there is room', async () => {
  await using messaging = await startMessaging();
  const { em, logger } = messaging;
  await using small = await openSmallBus();
  const relay = startRelay({ em, publish: small.bus.publish, intervalMs: 20, logger });
  await messaging.publish(...Array.from({ length: EVENTS }, (_, number) => number));

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
async function openSmallBus() {
  const resources = new AsyncDisposableStack();
  const nats = resources.adopt(await connectTestNats(), connection => connection.close());
  const jsm = await jetstreamManager(nats);
  const root = testBusRoot();
  const name = root.toUpperCase();
  const settings = { subjects: [`${root}.>`], storage: StorageType.File, discard: DiscardPolicy.New };
  await jsm.streams.add({ name, ...settings, max_bytes: SMALL });
  const bus = await openBus({ nats, inbox: '_INBOX', logger: pino({ level: 'silent' }), root });
  resources.defer(bus.remove);
  const state = async () => (await jsm.streams.info(name)).state;
  return {
    bus,
    stored: async () => (await state()).messages,
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
  return message?.json<{ data: { number: number } }>().data.number ?? Number.NaN;
}

async function unpublished({ em }: Messaging): Promise<number> {
  return (await em.fork().execute('select 1 from outbox_events where published_at is null')).length;
}
