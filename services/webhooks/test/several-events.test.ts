import { decode } from '@billing/messaging/message-body';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startWebhooks } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

it('publishes events of one team and type as one message, and those of another team in another', async () => {
  await using service = await startWebhooks({ run: false });
  const teams = [await service.newTeam(), await service.newTeam()];
  for (const { teamId, projectId } of teams)
    await service.sql('insert into project_copies values (?, ?)', [teamId, projectId]);
  const { nats, root } = service.bus;
  /** Stripe's ids of the events that each message carries. */
  const messages: string[][] = [];
  nats.subscribe(`${root}.processor.customer.updated.v1`, {
    callback: (_err, message) => {
      const events = decode(message).map(({ data }) => String(Reflect.get(Object(data), 'eventId')));
      messages.push(events.toSorted());
    },
  });
  await nats.flush();

  const sent: string[][] = [];
  for (const team of teams) {
    const events = Array.from({ length: 3 }, () => customerUpdated(team.projectId));
    for (const event of events) await service.send(team, event);
    sent.push(events.map(({ id }) => id).toSorted());
  }
  await service.run();
  await waitFor(() => messages.length >= teams.length, { what: 'the messages' });
  expect(messages).toHaveLength(teams.length);
  expect(messages).toEqual(expect.arrayContaining(sent));
});
