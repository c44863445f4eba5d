import { jetstreamManager } from '@nats-io/jetstream';
import { messageWith } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openBus } from '../src/bus.ts';
import { Counted, counted, startMessaging } from './start-messaging.ts';

it('S39: drops an event under the subject of another type, for good, and says so', async () => {
  await using messaging = await startMessaging();
  const { nats, root } = messaging.bus;
  const lines: string[] = [];
  const bus = await openBus({ nats, inbox: '_INBOX', root, logger: pino({}, { write: line => lines.push(line) }) });
  const received: string[] = [];
  const stop = await bus.subscribe('all', 'test.>', async ({ event }) => {
    received.push(event.id);
    return { kind: 'ack' };
  });

  const [forged, genuine] = [counted(1), counted(2)];
  await bus.publish({ ...messageWith(forged), type: 'test.harmless.v1' });
  await bus.publish({ ...messageWith(genuine), body: 'no envelopes' });
  await bus.publish(messageWith(genuine));

  await waitFor(() => received.includes(genuine.id), { what: 'the genuine event' });
  expect(received).toEqual([genuine.id]);
  const reasons = lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'message dropped');
  expect(reasons).toMatchObject([
    { subject: `${root}.test.harmless.v1`, type: Counted.name, reason: 'foreign subject' },
    { subject: `${root}.${Counted.name}`, reason: 'malformed' },
  ]);
  const jsm = await jetstreamManager(nats);
  await waitFor(async () => (await jsm.consumers.info(root.toUpperCase(), 'all')).num_ack_pending === 0, {
    what: 'the dropped messages to be terminated',
  });
  await stop();
});

it('S39: does not follow an event under the subject of another type', async () => {
  await using messaging = await startMessaging();
  const { bus } = messaging;
  const teams: string[] = [];
  const stop = bus.follow({ ...Counted, name: 'test.harmless.v1' }, team => teams.push(team));
  const forged = { ...counted(1), teamId: 'forged' };
  const genuine = { ...counted(2), type: 'test.harmless.v1', teamId: 'genuine' };
  for (const event of [forged, genuine]) await bus.publish({ ...messageWith(event), type: 'test.harmless.v1' });
  await waitFor(() => teams.includes('genuine'), { what: 'the genuine event' });
  expect(teams).toEqual(['genuine']);
  stop();
});
