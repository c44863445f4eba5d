import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { aCustomer, anEvent, startService } from './service.ts';

it('answers 200 or 503 while PostgreSQL drops its connections, and loses and doubles nothing', async () => {
  await using service = await startService();
  const team = await service.newTeam();
  const answered = new Set<number>();
  const sendUntilReceived = async () => {
    const event = anEvent('customer.updated', aCustomer(team.projectId));
    const status = await waitFor(
      async () => {
        const { statusCode } = await service.send(team, event);
        answered.add(statusCode);
        return statusCode === 200 ? statusCode : undefined;
      },
      { what: 'the event to be received', timeoutMs: 20_000 },
    );
    return status === 200 ? event.id : '';
  };
  const received: string[] = [];
  const sending = Array.from({ length: 10 }, async () => {
    for (let count = 0; count < 60; count += 1) received.push(await sendUntilReceived());
  });
  for (const share of [50, 150, 250, 400]) {
    await waitFor(() => received.length >= share, { what: `${share} events to be received`, timeoutMs: 20_000 });
    await service.admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'billing-webhooks' and datname = current_database()`,
    );
  }
  await Promise.all(sending);

  expect([...answered].filter(status => status !== 200 && status !== 503)).toEqual([]);
  const facts = await waitFor(
    async () => {
      const { rows } = await service.admin.query(
        `select data->>'eventId' as id, count(*)::int as count from webhooks.outbox_events
          where type = 'processor.customer.updated.v1' and published_at is not null group by 1`,
      );
      return rows.length === received.length ? rows : undefined;
    },
    { what: 'every event to be told', timeoutMs: 40_000, intervalMs: 100 },
  );
  expect(facts.filter(({ count }) => count !== 1)).toEqual([]);
}, 90_000);
