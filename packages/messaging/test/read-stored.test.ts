import type { Envelope } from '@billing/contracts/event';
import { unavailable } from '@billing/contracts/problem';
import { FindWebhookEventObject } from '@billing/contracts/rpc/calls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toDelivery } from '../src/bus.ts';
import { receiverOf } from '../src/consumer/consume.ts';
import { consumer } from '../src/consumer/consumer.ts';
import type { ReadAgain } from '../src/consumer/read-again.ts';
import { openStoredObjects } from '../src/consumer/stored-objects.ts';
import type { RpcClient } from '../src/rpc.ts';
import { chargeFailed, startMessaging, type Messaging } from './start-messaging.ts';

let messaging: Messaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging[Symbol.asyncDispose]());

const omitted = (eventId: string): Envelope => {
  const event = chargeFailed(eventId);
  return { ...event, data: { ...Object(event.data), object: { id: 'ch_1' }, objectOmitted: true } };
};

/** A consumer that stores the amounts of its objects, and the webhooks service, which cuts what it returns into pieces. */
function startConsumer(amountOf: (eventId: string) => number | null, readAgain?: ReadAgain) {
  const amounts: unknown[] = [];
  const reads: string[] = [];
  const held = { now: 0, most: 0 };
  const call = async (_rpc: unknown, { eventId, part }: { eventId: string; part: number }) => {
    reads.push(`${eventId} ${part}`);
    if (part === 0) held.most = Math.max(held.most, (held.now += 1));
    const amount = amountOf(eventId);
    const json = JSON.stringify({ object: { id: 'ch_1', amount }, previousAttributes: { amount: 0 } });
    const text = gzipSync(json).toString('base64');
    const half = Math.ceil(text.length / 2);
    return amount === null ? null : { text: text.slice(part * half, (part + 1) * half), parts: 2 };
  };
  const charges = consumer('test-stored', 'processor.>').onProcessorEvent('charge.failed', async (_tx, deliveries) => {
    held.now -= new Set(deliveries.map(({ data }) => data.eventId)).size;
    amounts.push(...deliveries.map(({ data }) => [data.object['amount'], data.previousAttributes]));
  });
  const { outbox, logger } = messaging;
  const withStoredObject = openStoredObjects({ call } as unknown as RpcClient); // the one call that is made
  const receive = receiverOf(charges, { outbox, logger, readAgain, withStoredObject });
  return { amounts, reads, held, receive: (event: Envelope, attempt = 1) => receive(toDelivery(event, attempt)) };
}

it('handles an event whose object is not on the bus with the stored one, put together from its parts', async () => {
  const { amounts, reads, receive } = startConsumer(() => 7);
  expect(await receive(omitted('evt_1'))).toEqual({ kind: 'ack' });
  expect(amounts).toEqual([[7, { amount: 0 }]]);
  expect(reads).toEqual(['evt_1 0', 'evt_1 1']);
  expect(FindWebhookEventObject.owner).toBe('webhooks');
});

it('reads an object once for all projects that it goes to at the same time', async () => {
  const { amounts, reads, receive } = startConsumer(() => 7);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => receive(omitted('evt_2'))));
  expect(outcomes).toEqual(Array.from({ length: 50 }, () => ({ kind: 'ack' })));
  expect(amounts).toHaveLength(50);
  expect(reads).toEqual(['evt_2 0', 'evt_2 1']);
});

it('holds few objects at the same time, whatever number of events come in', async () => {
  const { amounts, held, receive } = startConsumer(() => 7);
  await Promise.all(Array.from({ length: 30 }, (_, index) => receive(omitted(`evt_many_${index}`))));
  expect(amounts).toHaveLength(30);
  expect(held.most).toBeLessThanOrEqual(4);
});

it('handles an event whose stored object was deleted with the object of now', async () => {
  const { amounts, receive } = startConsumer(
    () => null,
    async event => ({ ...event, data: { ...Object(event.data), object: { amount: 9 }, objectOmitted: undefined } }),
  );
  expect(await receive(omitted('evt_3'))).toEqual({ kind: 'ack' });
  expect(amounts).toEqual([[9, null]]);
});

it('lets an event wait, with no attempt counted, while its object cannot be read', async () => {
  let isAway = true;
  const { amounts, receive } = startConsumer(() => {
    if (isAway) throw unavailable('The webhooks service is not reachable.');
    return 7;
  });
  const event = omitted('evt_4');
  for (let attempt = 1; attempt <= 3; attempt += 1)
    expect(await receive(event, attempt)).toMatchObject({ kind: 'redeliver' });
  expect(await messaging.failures()).toEqual([]);
  isAway = false;
  expect(await receive(event, 4)).toEqual({ kind: 'ack' });
  expect(amounts).toEqual([[7, { amount: 0 }]]);
});
