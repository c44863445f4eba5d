import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deletePayloads } from '../src/jobs/delete-expired.ts';
import { completed } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const QUOTA = 50_000;
/** Four events of this size and a little more fit. */
const description = 'x'.repeat(10_000);

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false, env: { QUOTA_WEBHOOK_BYTES: String(QUOTA) } });
});
afterAll(() => service[Symbol.asyncDispose]());

const newEvent = ({ projectId }: Team) => customerUpdated(projectId, { description });

/** The events of a team that have their payload, in the order in which they came; the total must tell of exactly these. */
async function stored({ teamId }: Team): Promise<unknown[]> {
  const [row] = await service.sql(
    `select coalesce(json_agg(id order by received_at), '[]') as ids, coalesce(sum(octet_length(payload::text)), 0)::int as bytes,
            coalesce((select bytes from payload_totals where team_id = ?), 0)::int as total
       from webhook_events where team_id = ? and payload is not null`,
    [teamId, teamId],
  );
  expect(row?.['total']).toBe(row?.['bytes']);
  return row?.['ids'] as unknown[]; // a JSON array
}

async function sendCompleted(team: Team, outcome: 'processed' | 'failed' = 'processed') {
  const event = newEvent(team);
  await service.send(team, event);
  await service.waitForPublications(event.id);
  await service.emit(completed(team, event.id, { outcome, error: outcome === 'failed' ? 'bug' : null }));
  return event.id;
}

it('deletes the oldest payloads of a team over its quota, those of failed events last, and none of another team', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const ofOther = await sendCompleted(other);
  const failed = await sendCompleted(team, 'failed');
  const ids: string[] = [];
  for (let count = 0; count < 8; count += 1) ids.push(await sendCompleted(team));
  await waitFor(async () => (await stored(team)).length === 4, { what: 'payloads to be deleted' });
  expect(await stored(team)).toEqual([failed, ...ids.slice(-3)]);
  expect(await stored(other)).toEqual([ofOther]);
  expect((await service.list(team)).pagination.total).toBe(9);

  const allFailed: string[] = [];
  for (let count = 0; count < 5; count += 1) allFailed.push(await sendCompleted(team, 'failed'));
  await waitFor(async () => (await stored(team)).length === 4, { what: 'payloads of failed events to be deleted' });
  expect(await stored(team)).toEqual(allFailed.slice(-4));
});

it('refuses the events of a team whose waiting events fill its quota, and of no other', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const waiting = Array.from({ length: 5 }, () => newEvent(team));
  for (const event of waiting) expect((await service.send(team, event)).status).toBe(200);
  await waitFor(async () => (await service.send(team, waiting[0] ?? {})).status === 503, {
    what: 'the team to be full',
  });
  expect((await service.send(other, newEvent(other))).status).toBe(200);
  expect(await stored(team)).toHaveLength(5);

  for (const { id } of waiting) await service.waitForPublications(id);
  await service.emit(...waiting.map(({ id }) => completed(team, id)));
  await waitFor(async () => (await service.send(team, newEvent(team))).status === 200, { what: 'room' });
});

it('counts what is stored once and what is deleted after its time, and nothing that nobody handles', async () => {
  const team = await service.newTeam();
  const id = await sendCompleted(team);
  const again = newEvent(team);
  await Promise.all([service.send(team, again), service.send(team, again), service.send(team, again)]);
  await service.send(team, newWebhookEvent('payment_method.attached', { id: 'pm_1', description }));
  expect(await stored(team)).toEqual([id, again.id]);
  await service.sql(`update webhook_events set received_at = now() - interval '91 days' where id = ?`, [id]);
  await deletePayloads(service.em, { days: 90 });
  expect(await stored(team)).toEqual([again.id]);
});
