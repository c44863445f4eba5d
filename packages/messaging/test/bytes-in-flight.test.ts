import { setImmediate as turn } from 'node:timers/promises';
import { messageWith } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { counted, startMessaging } from './start-messaging.ts';

const MIB = 1_048_576;

it('S76: hands out no more than 8 MiB of messages at the same time, and all of them in the end', async () => {
  await using messaging = await startMessaging();
  const { bus } = messaging;
  for (let number = 0; number < 40; number += 1)
    await bus.publish(messageWith({ ...counted(number), data: { number, text: 'x'.repeat(MIB - 1_000) } }));
  const handled = new Set<string>();
  let inFlight = 0;
  let most = 0;
  const opened = Promise.withResolvers<void>();
  const stop = await bus.subscribe('test.bytes', 'test.counted.v1', async ({ event, bytes }) => {
    inFlight += bytes;
    most = Math.max(most, inFlight);
    await opened.promise;
    await turn();
    inFlight -= bytes;
    handled.add(event.id);
    return { kind: 'ack' };
  });
  // Then as many have arrived as this process takes at once.
  await waitFor(async () => (await bus.lagOf('test.bytes')).inFlight >= 32, { what: 'messages to be delivered' });
  await bus.ping();
  await waitFor(() => inFlight > 6 * MIB, { what: 'messages to be in flight' });
  opened.resolve();
  await waitFor(() => handled.size === 40, { what: 'all messages to be handled' });
  expect(most).toBeLessThanOrEqual(8 * MIB);
  await stop();
});
