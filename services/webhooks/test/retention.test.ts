import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { expect, it } from 'vitest';
import { deletePayloads } from '../src/jobs/delete-expired.ts';
import { completed } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

/** Sends an event and reports how its project handled it. */
async function sendCompleted(service: WebhooksService, team: Team, outcome: 'processed' | 'failed') {
  const event = customerUpdated(team.projectId);
  await service.send(team, event);
  await service.waitForPublications(event.id);
  await service.emit(completed(team, event.id, { outcome, error: outcome === 'failed' ? 'bug' : null }));
  return event;
}

it('deletes old payloads but no records, no raw objects and nothing of failed events', async () => {
  await using service = await startWebhooks();
  const { em } = service;
  const team = await service.newTeam();
  const processed = [];
  for (let count = 0; count < 5; count += 1) processed.push(await sendCompleted(service, team, 'processed'));
  const failed = await sendCompleted(service, team, 'failed');
  await service.send(team, newWebhookEvent('payment_method.attached', { id: 'pm_1' }));
  const setAge = (days: number) =>
    service.sql('update webhook_events set received_at = now() - make_interval(days => ?)', [days]);
  const idsWithPayload = async () =>
    (await service.sql('select id from webhook_events where payload is not null')).map(({ id }) => id);

  await setAge(89);
  await deletePayloads(em, { days: 90 });
  // None of an event that nobody handles was stored.
  expect(await idsWithPayload()).toHaveLength(6);
  await setAge(91);
  await Promise.all([deletePayloads(em, { days: 90, batchSize: 2 }), deletePayloads(em, { days: 90, batchSize: 2 })]);
  expect(await idsWithPayload()).toEqual([failed.id]);

  expect((await service.list(team)).pagination.total).toBe(7);
  for (const event of processed)
    expect((await service.send(team, event)).body).toEqual({ received: true, duplicate: true });
  expect(await service.sql(`select id from "${team.teamId}".customers`)).toHaveLength(6);
  expect((await service.replay(team, failed.id)).status).toBe(200);
  await service.waitForPublications(failed.id, 'customer.updated', 2);
});
