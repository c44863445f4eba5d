import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { expect, it } from 'vitest';
import { deleteOldEvents } from '../src/receipt/delete-expired.ts';
import { readTotals } from '../src/pipeline/event-totals.ts';
import { requireCounted } from './count-stored.ts';
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

it('deletes old payloads, later their records, but no raw objects and nothing of failed events', async () => {
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
  const recordsAfter = async (days: number) => {
    await setAge(days);
    await Promise.all([
      deleteOldEvents(em, { days: 30, batchSize: 2 }),
      deleteOldEvents(em, { days: 30, batchSize: 2 }),
    ]);
    return (await service.list(team)).pagination.total;
  };
  const stats = () => readTotals(em.fork(), team.teamId, team.projectId);
  const before = await stats();

  expect(await recordsAfter(29)).toBe(7);
  // None of an event that nobody handles was stored.
  expect(await idsWithPayload()).toHaveLength(6);
  expect(await recordsAfter(31)).toBe(7);
  expect(await idsWithPayload()).toEqual([failed.id]);
  for (const event of processed)
    expect((await service.send(team, event)).body).toEqual({ received: true, duplicate: true });

  expect(await recordsAfter(36)).toBe(6);
  expect(await recordsAfter(89)).toBe(6);
  expect(await recordsAfter(91)).toBe(1);
  expect(await service.sql(`select id from "${team.teamId}".customers`)).toHaveLength(6);
  expect(await stats()).toEqual(before);
  await requireCounted(em);
  expect((await service.replay(team, failed.id)).status).toBe(200);
  await service.waitForPublications(failed.id, 'customer.updated', 2);
});
