import { defineEvent } from '@billing/contracts/event';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { PublishMessage } from '../src/bus.ts';
import { relayOnce } from '../src/relay.ts';
import { Counted, startMessaging, teamId, type Messaging } from './start-messaging.ts';

it('has migrations that lead to the schema of the entities', async () => {
  await using messaging = await startMessaging();
  await messaging.em.execute('drop table effects');
  expect(await messaging.database.schema.getUpdateSchemaSQL()).toBe('');
});

it('publishes nothing of a transaction that was rolled back', async () => {
  await using messaging = await startMessaging();
  const attempt = messaging.outbox.transaction(async (_tx, publish) => {
    publish(Counted, teamId, { number: 1 });
    throw new Error('changed my mind');
  });
  await expect(attempt).rejects.toThrow('changed my mind');
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(0);
});

it('publishes each event once when relays run side by side', async () => {
  await using messaging = await startMessaging();
  await messaging.publish(...Array.from({ length: 120 }, (_, number) => number));
  const published: string[] = [];
  const publish: PublishMessage = async (type, body, id, trace) => {
    published.push(id);
    await messaging.bus.publish(type, body, id, trace);
  };
  const counts = await Promise.all(Array.from({ length: 4 }, () => relayOnce(messaging.em, publish, 50)));
  expect(counts.reduce((sum, count) => sum + count)).toBe(120);
  expect(new Set(published).size).toBe(120);
  expect(published).toHaveLength(120);
});

it('stores what the bus refused, and publishes it later', async () => {
  await using messaging = await startMessaging();
  await messaging.publish(1, 2, 3);
  const refuseSecond: PublishMessage = async (type, body, id, trace) => {
    if (body.includes('"number":2')) throw new Error('no space left');
    await messaging.bus.publish(type, body, id, trace);
  };
  await expect(relayOnce(messaging.em, refuseSecond)).rejects.toThrow('1 events could not be published');
  expect(await unpublished(messaging)).toBe(1);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(1);
  expect(await unpublished(messaging)).toBe(0);
});

it('publishes what a relay leased and left', async () => {
  await using messaging = await startMessaging();
  await messaging.publish(1);
  await messaging.em.execute(`update outbox_events set due_at = clock_timestamp() + interval '1 hour'`);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(0);
  await messaging.em.execute(`update outbox_events set due_at = clock_timestamp() - interval '1 second'`);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(1);
});

it('leases no more at once than fits into memory', async () => {
  await using messaging = await startMessaging();
  const Large = defineEvent('test.large.v1', z.object({ text: z.string() }));
  const text = 'x'.repeat(1_000_000);
  await messaging.outbox.transaction(async (_tx, publish) => {
    for (let index = 0; index < 20; index += 1) publish(Large, teamId, { text });
  });
  const published: string[] = [];
  const publish: PublishMessage = async (_type, _body, id) => void published.push(id);
  const counts = [await relayOnce(messaging.em, publish), await relayOnce(messaging.em, publish)];
  expect(counts).toEqual([17, 3]);
  expect(new Set(published).size).toBe(20);
});

async function unpublished(messaging: Messaging): Promise<number> {
  return (await messaging.outboxEvents()).filter(event => !event.is_published).length;
}
