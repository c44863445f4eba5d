import type { Envelope } from '@billing/contracts/event';
import { unavailable } from '@billing/contracts/problem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toDelivery } from '../src/bus.ts';
import { receiverOf } from '../src/consumer/consume.ts';
import { consumer } from '../src/consumer/consumer.ts';
import { UnreadableObject, type ReadAgain } from '../src/consumer/read-again.ts';
import { chargeFailed, startMessaging, type Messaging } from './start-messaging.ts';

let messaging: Messaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging[Symbol.asyncDispose]());

/** A consumer that can read only objects with an amount; it stores the amounts. */
const startConsumer = (readAgain: ReadAgain | undefined) => {
  const amounts: number[] = [];
  const charges = consumer('test', 'processor.>').onProcessorEvent('charge.failed', async (_tx, deliveries) => {
    const read = deliveries.map(({ data }) => Number(data.object['amount'] ?? NaN));
    if (read.some(Number.isNaN)) throw new UnreadableObject('no amount');
    amounts.push(...read);
  });
  const { outbox, logger } = messaging;
  const receive = receiverOf(charges, { outbox, logger, readAgain });
  return { amounts, receive: (event: Envelope, attempt = 1) => receive(toDelivery(event, attempt)) };
};
const withAmount = (event: Envelope, amount: number): Envelope => ({
  ...event,
  data: { ...Object(event.data), object: { amount } },
});

it('handles an event that cannot be read with the object of now, and no other', async () => {
  const readIds: string[] = [];
  const { amounts, receive } = startConsumer(async event => {
    readIds.push(event.id);
    return withAmount(event, 2);
  });
  const old = chargeFailed('evt_old');
  const events = [withAmount(chargeFailed('evt_new'), 1), old, withAmount(chargeFailed('evt_newer'), 3)];
  // Together, so that they share a batch.
  const outcomes = await Promise.all(events.map(event => receive(event)));
  expect(outcomes).toEqual(events.map(() => ({ kind: 'ack' })));
  expect(readIds).toEqual([old.id]);
  expect(amounts.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  expect(await receive(old, 2)).toEqual({ kind: 'ack' });
  expect(amounts).toHaveLength(3);
  expect(await messaging.failures()).toEqual([]);
});

it('lets an event wait, with no attempt counted, while the processor is unavailable', async () => {
  let isAway = true;
  const { amounts, receive } = startConsumer(async event => {
    if (isAway) throw unavailable('The processor does not respond.');
    return withAmount(event, 4);
  });
  const event = chargeFailed('evt_waiting');
  for (let attempt = 1; attempt <= 3; attempt += 1)
    expect(await receive(event, attempt)).toMatchObject({ kind: 'redeliver' });
  expect(await messaging.failures()).toEqual([]);
  isAway = false;
  expect(await receive(event, 4)).toEqual({ kind: 'ack' });
  expect(amounts).toEqual([4]);
});

it.each([
  ['the processor has none', async () => null],
  ['the object of now cannot be read either', async (event: Envelope) => event],
  ['there is no processor', undefined],
])('dead-letters an event that cannot be read when %s', async (_when, readAgain) => {
  const { amounts, receive } = startConsumer(readAgain);
  const event = chargeFailed('evt_lost');
  expect(await receive(event)).toEqual({ kind: 'ack' });
  expect(amounts).toEqual([]);
  expect(await messaging.failures()).toContainEqual(
    expect.objectContaining({ event_id: event.id, attempts: 1, error: 'no amount', is_dead: true }),
  );
});
