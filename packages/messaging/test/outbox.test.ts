import { defineEvent } from '@billing/contracts/event';
import { expect, it } from 'vitest';
import { waitFor } from '@billing/testing/wait-for';
import { z } from 'zod';
import type { Publish } from '../src/bus.ts';
import { record, relayOnce } from '../src/outbox.ts';
import { startRelay } from '../src/relay.ts';
import { Counted, startMessaging, teamId, type Messaging } from './harness.ts';

it('has migrations that lead to what the entities say', async () => {
  await using messaging = await startMessaging();
  await messaging.em.execute('drop table effects');
  expect(await messaging.database.schema.getUpdateSchemaSQL()).toBe('');
});

it('says nothing of a transaction that was rolled back', async () => {
  await using messaging = await startMessaging();
  const attempt = messaging.em.fork().transactional(async tx => {
    record(tx, Counted, teamId, { number: 1 });
    await tx.flush();
    throw new Error('changed my mind');
  });
  await expect(attempt).rejects.toThrow('changed my mind');
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(0);
});

it('publishes each fact once when relays run side by side', async () => {
  await using messaging = await startMessaging();
  await messaging.say(...Array.from({ length: 120 }, (_, number) => number));
  const published: string[] = [];
  const publish: Publish = async (type, body, id, trace) => {
    published.push(id);
    await messaging.bus.publish(type, body, id, trace);
  };
  const claimed = await Promise.all(
    Array.from({ length: 4 }, () => relayOnce(messaging.em, publish, { batchSize: 50 })),
  );
  expect(claimed.reduce((sum, count) => sum + count)).toBe(120);
  expect(new Set(published).size).toBe(published.length);
  expect(published).toHaveLength(120);
});

it('keeps what the broker did not take, and publishes it later', async () => {
  await using messaging = await startMessaging();
  await messaging.say(1, 2, 3);
  const refuseSecond: Publish = async (type, body, id, trace) => {
    if (body.includes('"number":2')) throw new Error('no space left');
    await messaging.bus.publish(type, body, id, trace);
  };
  await expect(relayOnce(messaging.em, refuseSecond)).rejects.toThrow('1 of 3 facts could not be published');
  expect(await unpublished(messaging)).toBe(1);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(1);
  expect(await unpublished(messaging)).toBe(0);
});

it('takes up what a relay claimed and died over', async () => {
  await using messaging = await startMessaging();
  await messaging.say(1);
  await messaging.em.execute(`update outbox_events set claimed_until = clock_timestamp() + interval '1 hour'`);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(0);
  await messaging.em.execute(`update outbox_events set claimed_until = clock_timestamp() - interval '1 second'`);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(1);
});

it('claims no more at once than fits into memory', async () => {
  await using messaging = await startMessaging();
  const Large = defineEvent('test.large.v1', z.object({ text: z.string() }));
  const text = 'x'.repeat(1_000_000);
  await messaging.em.fork().transactional(async tx => {
    for (let index = 0; index < 20; index += 1) record(tx, Large, teamId, { text });
  });
  const published: string[] = [];
  const publish: Publish = async (_type, _body, id) => void published.push(id);
  const counts = [await relayOnce(messaging.em, publish), await relayOnce(messaging.em, publish)];
  expect(counts).toEqual([17, 3]);
  expect(new Set(published).size).toBe(20);
});

it('relays at once what this process commits', async () => {
  await using messaging = await startMessaging();
  const anHour = 3_600_000;
  const stop = startRelay(messaging.em, messaging.bus.publish, messaging.logger, { intervalMs: anHour });
  await messaging.say(1);
  await waitFor(async () => (await unpublished(messaging)) === 0, { what: 'the fact to be published' });
  await messaging.say(2);
  await waitFor(async () => (await unpublished(messaging)) === 0, { what: 'the second fact to be published' });
  expect(await unpublished(messaging)).toBe(0);
  await stop();
});

async function unpublished({ em }: Messaging): Promise<number> {
  const rows = await em.fork().execute('select 1 from outbox_events where published_at is null');
  return rows.length;
}
