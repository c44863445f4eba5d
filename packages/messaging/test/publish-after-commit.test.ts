import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import type { PublishMessage } from '../src/bus.ts';
import { openCommittedEvents } from '../src/committed-events.ts';
import { openOutbox } from '../src/outbox.ts';
import { relayOnce, startRelay } from '../src/relay.ts';
import { Counted, publishAlone, publishNumbers, startMessaging, teamId, type Messaging } from './start-messaging.ts';

const AN_HOUR_MS = 3_600_000;

/** A process's outbox and what its relay publishes; by default the relay never looks at the table by itself. */
function openProcess(messaging: Messaging, { intervalMs = AN_HOUR_MS } = {}) {
  const { em, bus, logger } = messaging;
  const committed = openCommittedEvents();
  const outbox = openOutbox(em, { committed });
  const numbers: number[] = [];
  const publish: PublishMessage = async message => {
    await bus.publish(message);
    numbers.push(...JSON.parse(message.body).map(({ data }: { data: { number: number } }) => data.number));
  };
  const relay = (through: PublishMessage = publish) =>
    startRelay({ em, publish: through, committed, intervalMs, logger });
  return { outbox, committed, numbers, publish, relay };
}

const allPublished = (messaging: Messaging) =>
  waitFor(async () => (await messaging.outboxEvents()).every(event => event.is_published), {
    what: 'all events to be published',
  });

it('publishes what a transaction published as soon as it has committed', async () => {
  await using messaging = await startMessaging();
  const { outbox, numbers, relay } = openProcess(messaging);
  const running = relay();
  const committing = Promise.withResolvers<void>();
  const transaction = outbox.transaction(async (_tx, publish) => {
    for (const number of [1, 2, 3]) publish(Counted, teamId, { number });
    await committing.promise;
  });
  await publishNumbers(outbox, 4);
  await waitFor(() => numbers.length === 1, { what: 'the committed event' });
  committing.resolve();
  await transaction;
  await allPublished(messaging);
  expect(numbers).toEqual([4, 1, 2, 3]);
  await running.stop();
});

it('publishes nothing of a transaction that was rolled back', async () => {
  await using messaging = await startMessaging();
  const { outbox, numbers, relay } = openProcess(messaging);
  const running = relay();
  const attempt = outbox.transaction(async (_tx, publish) => {
    publish(Counted, teamId, { number: 1 });
    throw new Error('changed my mind');
  });
  await expect(attempt).rejects.toThrow('changed my mind');
  await publishNumbers(outbox, 2);
  await allPublished(messaging);
  expect(numbers).toEqual([2]);
  await running.stop();
});

it('leaves the events of a process that died to another relay', async () => {
  await using messaging = await startMessaging();
  const { outbox, numbers, publish } = openProcess(messaging);
  await publishNumbers(outbox, 1);
  expect(await messaging.outboxEvents()).toMatchObject([{ is_leased: true }]);
  expect(await relayOnce(messaging.em, publish)).toBe(0);
  await messaging.em.execute(`update outbox_messages set due_at = due_at - interval '6 seconds'`);
  expect(await relayOnce(messaging.em, publish)).toBe(1);
  expect(numbers).toEqual([1]);
});

it('releases what it has not published when it stops', async () => {
  await using messaging = await startMessaging();
  const { outbox, publish, relay } = openProcess(messaging);
  const held = Promise.withResolvers<void>();
  const running = relay(async (...message) => {
    await held.promise;
    await publish(...message);
  });
  await publishNumbers(outbox, 1);
  await publishNumbers(outbox, 2);
  const stopped = running.stop();
  held.resolve();
  await stopped;
  const left = (await messaging.outboxEvents()).filter(event => !event.is_published);
  expect(left.some(event => event.is_leased)).toBe(false);
  while ((await relayOnce(messaging.em, publish)) > 0);
  await allPublished(messaging);
});

it('publishes later what the bus refused', async () => {
  await using messaging = await startMessaging();
  const { outbox, numbers, publish, relay } = openProcess(messaging, { intervalMs: 20 });
  let refusals = 0;
  const running = relay(async (...message) => {
    if (refusals++ === 0) throw new Error('no space left');
    await publish(...message);
  });
  await publishNumbers(outbox, 1);
  await allPublished(messaging);
  expect(numbers).toEqual([1]);
  expect(refusals).toBeGreaterThan(1);
  await running.stop();
});

it('limits how many messages wait in memory', async () => {
  await using messaging = await startMessaging();
  const { outbox, committed } = openProcess(messaging);
  for (let round = 0; round < 8; round += 1) await publishAlone(outbox, 1_000);
  const leased = await messaging.em.fork().execute('select 1 from outbox_messages where lease_id is not null');
  expect(leased).toHaveLength(5_000);
  expect(committed.hasRoom()).toBe(false);
});
