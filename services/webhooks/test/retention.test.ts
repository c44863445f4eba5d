import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { forgetPayloads } from '#operations/forget-payloads.ts';
import { listen, settle } from './bus.ts';
import { aCustomer, anEvent, startService, type Service, type Team } from './service.ts';

/** Sends an event and has its project report how it ended. */
async function sendSettled(
  service: Service,
  bus: ReturnType<typeof listen>,
  team: Team,
  outcome: 'processed' | 'failed',
) {
  const event = anEvent('customer.updated', aCustomer(team.projectId));
  await service.send(team, event);
  await bus.waitForFacts(event.id, 'customer.updated');
  await settle(service, team.teamId, event.id, team.projectId, { outcome, error: outcome === 'failed' ? 'bug' : null });
  await waitFor(async () => (await service.recordOf(team, event.id))?.status === outcome, { what: 'the report' });
  return event;
}

it('lets old payloads go that came to a good end, and keeps their records, raw objects and what failed', async () => {
  await using service = await startService();
  const bus = listen(service);
  const team = await service.newTeam();
  const processed = [];
  for (let count = 0; count < 5; count += 1) processed.push(await sendSettled(service, bus, team, 'processed'));
  const failed = await sendSettled(service, bus, team, 'failed');
  const ignored = anEvent('payment_method.attached', { id: 'pm_1' });
  await service.send(team, ignored);
  const age = (days: number) =>
    service.admin.query(`update webhooks.webhook_events set received_at = now() - make_interval(days => $1)`, [days]);
  const kept = async () => {
    const { rows } = await service.admin.query('select id from webhooks.webhook_events where payload is not null');
    return new Set(rows.map(({ id }) => String(id)));
  };
  const { em } = service.database;

  await age(89);
  await forgetPayloads(em, { days: 90 });
  expect((await kept()).size).toBe(7);
  await age(91);
  await Promise.all([forgetPayloads(em, { days: 90, batchSize: 2 }), forgetPayloads(em, { days: 90, batchSize: 2 })]);
  expect(await kept()).toEqual(new Set([failed.id]));

  expect((await service.list(team)).pagination.total).toBe(7);
  for (const event of processed)
    expect((await service.send(team, event)).json()).toEqual({ received: true, duplicate: true });
  const { rows } = await service.admin.query(`select id from "${team.teamId}".customers`);
  expect(rows).toHaveLength(6);
  expect((await service.replay(team, failed.id)).statusCode).toBe(200);
  await bus.waitForFacts(failed.id, 'customer.updated', 2);
});
