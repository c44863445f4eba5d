import { jetstreamManager } from '@nats-io/jetstream';
import { messageWith } from '@billing/testing/events';
import { connectTestNats } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { startTrimming, trimStream } from '../src/trim-stream.ts';
import { counted, startMessaging, type Messaging } from './start-messaging.ts';

const EVENTS = 20;
const SIZE = 10_000;

/** A stream that is a good half full of events of one type, besides what the given consumers have handled of them. */
async function fillHalf({ bus, ...messaging }: Messaging) {
  const jsm = await jetstreamManager(bus.nats);
  const name = bus.root.toUpperCase();
  await jsm.streams.update(name, { max_bytes: EVENTS * SIZE * 1.5 });
  for (let index = 0; index < EVENTS; index += 1)
    await bus.publish(messageWith({ ...counted(index), data: 'x'.repeat(SIZE) }));
  const stored = async () => (await jsm.streams.info(name)).state.messages;
  return { ...messaging, bus, jsm, name, stored };
}

async function readFrom(bus: Messaging['bus'], filter: string, acks: number): Promise<() => Promise<void>> {
  let read = 0;
  const stop = await bus.subscribe(`test-${randomUUID()}`, filter, async () => {
    read += 1;
    return read <= acks ? { kind: 'ack' } : { kind: 'redeliver', delayMs: 60_000 };
  });
  if (acks > 0) await waitFor(() => read >= Math.min(acks + 1, EVENTS), { what: 'the events to be read' });
  return stop;
}

it('deletes what every consumer has handled from a stream that is half full', async () => {
  await using messaging = await startMessaging();
  const { bus, stored } = await fillHalf(messaging);
  await using resources = new AsyncDisposableStack();
  resources.defer(await readFrom(bus, '>', EVENTS));
  resources.defer(await readFrom(bus, 'other.*.v1', 0));
  const trimmed = await waitFor(async () => (await trimStream(bus.nats, bus.root)) || undefined, {
    what: 'the last one to be acknowledged',
  });
  expect(trimmed).toBeGreaterThan(0);
  await waitFor(async () => (await trimStream(bus.nats, bus.root), (await stored()) < EVENTS / 2), {
    what: 'the stream to be trimmed',
  });
});

it('keeps all events from the first one that some consumer has not acknowledged', async () => {
  await using messaging = await startMessaging();
  const { bus, jsm, name, stored } = await fillHalf(messaging);
  await using resources = new AsyncDisposableStack();
  resources.defer(await readFrom(bus, '>', EVENTS));
  resources.defer(await readFrom(bus, 'test.*.v1', 3));
  await waitFor(async () => (await trimStream(bus.nats, bus.root), (await stored()) === EVENTS - 3), {
    what: 'the stream to be trimmed',
  });
  expect((await jsm.streams.info(name)).state.first_seq).toBe(4);
});

it('keeps handled events while the stream is less than half full', async () => {
  await using messaging = await startMessaging();
  const { bus, jsm, name, stored } = await fillHalf(messaging);
  await using resources = new AsyncDisposableStack();
  resources.defer(await readFrom(bus, '>', EVENTS));
  await jsm.streams.update(name, { max_bytes: EVENTS * SIZE * 3 });
  expect([await trimStream(bus.nats, bus.root), await stored()]).toEqual([0, EVENTS]);
});

it('tells of a stream that does not respond three times in a row', async () => {
  const nats = await connectTestNats();
  await nats.close();
  const lines: string[] = [];
  const standstills: number[] = [];
  const stop = startTrimming(nats, {
    report: line => lines.push(line),
    onStandstill: async () => void standstills.push(lines.length),
    intervalMs: 5,
  });
  await waitFor(() => standstills.length >= 2, { what: 'the second standstill' });
  await stop();
  expect(standstills.slice(0, 2)).toEqual([3, 6]);
});
