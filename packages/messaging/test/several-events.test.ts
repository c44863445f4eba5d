import type { Envelope } from '@billing/contracts/event';
import { messageWith } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { jetstreamManager } from '@nats-io/jetstream';
import { expect, it } from 'vitest';
import { consume, receiverOf } from '../src/consumer/consume.ts';
import { consumer } from '../src/consumer/consumer.ts';
import { PermanentFailure } from '../src/failure-reason.ts';
import { addEffect, counted, Counted, startMessaging, type Messaging } from './start-messaging.ts';

/** Publishes events as one message. */
const publishMessage = ({ bus }: Messaging, events: readonly Envelope[]) =>
  bus.publish({ ...messageWith(...events), type: Counted.name });

/** Starts a consumer that stores numbers; `handle` may throw. */
async function storeNumbers(messaging: Messaging, handle: (number: number) => void = () => undefined) {
  const storing = consumer('several', 'test.>').on(Counted, async (tx, deliveries) => {
    for (const { number } of deliveries.map(({ data }) => data)) {
      handle(number);
      await addEffect(tx, number);
    }
  });
  return consume(messaging.bus, storing, receiverOf(storing, messaging));
}

/** Waits until the bus has nothing left to deliver to the consumer. */
async function waitUntilEmpty({ bus }: Messaging): Promise<void> {
  const jsm = await jetstreamManager(bus.nats);
  const isEmpty = async () => {
    const { num_pending, num_ack_pending } = await jsm.consumers.info(bus.root.toUpperCase(), 'several');
    return num_pending + num_ack_pending === 0;
  };
  await waitFor(isEmpty, { what: 'all to be acknowledged' });
}

it('handles each event of a message, and those again that failed', async () => {
  await using messaging = await startMessaging();
  let failures = 4;
  const stop = await storeNumbers(messaging, number => {
    // A batch that fails is tried by halves first, and each event alone after that.
    if (number === 2 && failures-- > 0) throw new Error('not yet');
  });
  await publishMessage(messaging, [1, 2, 3].map(counted));
  await waitUntilEmpty(messaging);
  await stop();
  expect(failures).toBeLessThan(0);
  expect(await messaging.effects()).toEqual([1, 2, 3]);
  expect(await messaging.failures()).toEqual([]);
});

it('dead-letters the one event of a message that cannot be handled', async () => {
  await using messaging = await startMessaging();
  const stop = await storeNumbers(messaging, number => {
    if (number === 2) throw new PermanentFailure('never');
  });
  const events = [1, 2, 3].map(counted);
  await publishMessage(messaging, events);
  await waitUntilEmpty(messaging);
  await stop();
  expect(await messaging.failures()).toMatchObject([{ event_id: events[1]?.id, is_dead: true }]);
  expect(await messaging.effects()).toEqual([1, 3]);
});

it('drops a message with an event under the subject of another type, or without any', async () => {
  await using messaging = await startMessaging();
  const stop = await storeNumbers(messaging);
  await publishMessage(messaging, [counted(1), { ...counted(2), type: 'test.other.v1' }]);
  await publishMessage(messaging, []);
  await publishMessage(messaging, [counted(3)]);
  await waitUntilEmpty(messaging);
  await stop();
  expect(await messaging.effects()).toEqual([3]);
});
