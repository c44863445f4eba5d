import { decode } from '@billing/messaging/message-body';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startWebhooks } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

it('publishes events of one type as one message, and alone when they are not handled soon', async () => {
  await using service = await startWebhooks({ run: false });
  const team = await service.newTeam();
  await service.sql('insert into project_copies values (?, ?)', [team.teamId, team.projectId]);
  const { nats, root } = service.bus;
  /** Stripe's ids of the events that each message carries. */
  const messages: string[][] = [];
  nats.subscribe(`${root}.processor.customer.updated.v1`, {
    callback: (_err, message) => {
      messages.push(decode(message).map(({ data }) => String(Reflect.get(Object(data), 'eventId'))));
    },
  });
  await nats.flush();

  const events = Array.from({ length: 3 }, () => customerUpdated(team.projectId));
  for (const event of events) await service.send(team, event);
  const ids = events.map(({ id }) => id).toSorted();
  await service.run();
  await waitFor(() => messages.length > 0, { what: 'the first message' });
  expect(messages.map(message => message.toSorted())).toEqual([ids]);

  const areRecorded = async () => {
    const recorded = await service.sql('select from webhook_events where routed_to = ?', [[team.projectId]]);
    return recorded.length === ids.length;
  };
  await waitFor(areRecorded, { what: 'the events to be recorded as routed' });
  await service.sql('update webhook_events set due_at = now() where due_at is not null');
  await waitFor(() => messages.length > ids.length, { what: 'the events to be published again' });
  expect(messages.slice(1).every(message => message.length === 1)).toBe(true);
  expect(messages.slice(1).flat().toSorted()).toEqual(ids);
});
