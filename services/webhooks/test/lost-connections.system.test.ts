import { waitFor } from '@billing/testing/wait-for';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { startWebhooks } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

it('returns 200 or 503 while PostgreSQL drops connections, and publishes each event once', async () => {
  await using service = await startWebhooks();
  const team = await service.newTeam();
  const admin = new Client({ connectionString: service.testDatabase.adminUrl });
  await admin.connect();
  const statuses = new Set<number>();
  const sendUntilReceived = async () => {
    const event = customerUpdated(team.projectId);
    await waitFor(
      async () => {
        const { status } = await service.send(team, event);
        statuses.add(status);
        return status === 200;
      },
      { what: 'the event to be received' },
    );
    return event.id;
  };
  const received: string[] = [];
  const sending = Array.from({ length: 10 }, async () => {
    for (let count = 0; count < 60; count += 1) received.push(await sendUntilReceived());
  });
  for (const count of [50, 150, 250, 400]) {
    await waitFor(() => received.length >= count, { what: `${count} events to be received` });
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'billing-webhooks' and datname = current_database()`,
    );
  }
  await Promise.all(sending);
  await admin.end();

  expect([...statuses].filter(status => status !== 200 && status !== 503)).toEqual([]);
  // Whoever lost its connection could not release what it worked on.
  await service.endLeases();
  const countPublications = () => received.map(id => service.publicationsOf(id).length);
  await waitFor(() => countPublications().every(count => count > 0), {
    what: 'every event to be published',
    intervalMs: 100,
  });
  expect(countPublications()).toEqual(received.map(() => 1));
});
