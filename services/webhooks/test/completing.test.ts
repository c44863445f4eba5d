import { CountWebhookEvents } from '@billing/contracts/rpc/list-states';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { completed, customerCreated } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated, newStripeCustomer } from './stripe-events.ts';

let service: WebhooksService;

beforeAll(async () => {
  service = await startWebhooks();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Sends an event that names its project, and waits until it is published; returns its id. */
async function sendRouted(team: Team): Promise<string> {
  const event = customerUpdated(team.projectId);
  await service.send(team, event);
  await service.waitForPublications(event.id);
  return event.id;
}

it('counts an event once it is complete, and not again for a later report', async () => {
  const team = await service.newTeam();
  const eventId = await sendRouted(team);
  await service.emit(completed(team, eventId, { attempts: 3 }));
  expect(await service.recordOf(team, eventId)).toMatchObject({
    status: 'processed',
    attempts: 3,
    error: null,
    processedAt: expect.any(String),
  });
  await service.emit(completed(team, eventId, { outcome: 'failed', error: 'late' }));
  expect(await service.recordOf(team, eventId)).toMatchObject({ status: 'processed', error: null });

  // When the totals with a later event are published, other ones with the first would have been, too.
  await service.emit(completed(team, await sendRouted(team)));
  await service.waitForTotals(team.projectId, { total: 2, processed: 2, failed: 0 });
  expect(service.totalsOf(team.projectId).map(({ total, version }) => [total, version])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  const { teamId, projectId } = team;
  const totals = { total: 2, processed: 2, failed: 0, version: 2 };
  expect(await service.rpc.call(CountWebhookEvents, { teamId, projectId })).toEqual(totals);
});

it('counts an event that is not complete soon, once, and again when it is', async () => {
  const team = await service.newTeam();
  const eventId = await sendRouted(team);
  await service.waitForTotals(team.projectId, { total: 1, processed: 0, failed: 0 });
  await service.emit(completed(team, eventId));
  await service.waitForTotals(team.projectId, { total: 1, processed: 1, failed: 0 });

  // When a later event is counted as pending, the first one would have been again, too.
  await sendRouted(team);
  await service.waitForTotals(team.projectId, { total: 2, processed: 1, failed: 0 });
  expect(service.totalsOf(team.projectId)).toHaveLength(3);
});

it('records that the owning service reported a failure', async () => {
  const [outcome, error] = ['failed', 'it was too much'] as const;
  const team = await service.newTeam();
  const eventId = await sendRouted(team);
  await service.emit(completed(team, eventId, { outcome, error, attempts: 8 }));
  expect(await service.recordOf(team, eventId)).toMatchObject({ status: outcome, error, attempts: 8 });
});

it('awaits every project of an event, fails with any, and replays only those that failed', async () => {
  const team = await service.newTeam();
  const { teamId } = team;
  const second = service.newProject(teamId);
  const inSecond = { teamId, projectId: second };
  const customer = newStripeCustomer(team.projectId);
  await service.emit(customerCreated(teamId, second, customer.id));
  const event = newWebhookEvent('customer.updated', customer);
  await service.send(team, event);
  await service.waitForPublications(event.id, 'customer.updated', 2);

  await service.emit(completed(inSecond, event.id, { outcome: 'failed', error: 'no luck', attempts: 8 }));
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'received', processedAt: null });
  await service.emit(completed(team, event.id));
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'failed', error: 'no luck', attempts: 8 });

  expect((await service.replay(team, event.id)).status).toBe(200);
  const publications = await service.waitForPublications(event.id, 'customer.updated', 3);
  expect(publications[2]?.data.projectId).toBe(second);
  await service.emit(completed(inSecond, event.id));
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'processed' });
  expect(service.publicationsOf(event.id)).toHaveLength(3);
});

it('takes a project as handled whose dead letter was retried, at any time', async () => {
  const team = await service.newTeam();
  const { teamId } = team;
  const second = { teamId, projectId: service.newProject(teamId) };
  const customer = newStripeCustomer(team.projectId);
  await service.emit(customerCreated(teamId, second.projectId, customer.id));
  const event = newWebhookEvent('customer.updated', customer);
  await service.send(team, event);
  await service.waitForPublications(event.id, 'customer.updated', 2);
  const failure = { outcome: 'failed', error: 'a bug', attempts: 8 } as const;
  const retried = { attempts: 9 };

  // One project is retried while the other has not reported yet.
  await service.emit(completed(second, event.id, failure));
  await service.emit(completed(second, event.id, retried));
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'received', error: null });
  await service.emit(completed(team, event.id, failure));
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'failed', error: 'a bug' });

  // The retry of a project that did not fail changes nothing.
  await service.emit(completed(second, event.id, retried));
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'failed' });
  await service.emit(completed(team, event.id, retried), completed(team, event.id, retried));
  const recovered = { status: 'processed', error: null, attempts: 9, processedAt: expect.any(String) };
  expect(await service.recordOf(team, event.id)).toMatchObject(recovered);
  await service.waitForTotals(team.projectId, { total: 1, processed: 1, failed: 0 });
  expect(service.totalsOf(team.projectId).map(({ processed, failed }) => [processed, failed])).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
  ]);
  expect(service.totalsOf(second.projectId)).toEqual([]);

  // A late report of the failure, delivered once more, takes nothing back.
  await service.emit(completed(team, event.id, failure));
  expect(await service.recordOf(team, event.id)).toMatchObject(recovered);
});

it('replays a failed event, and no other, under a new id', async () => {
  const team = await service.newTeam();
  const eventId = await sendRouted(team);
  const replay = async (of: Pick<Team, 'teamId' | 'projectId'> = team) => {
    const { status, body } = await service.replay(of, eventId);
    return [status, body.error.code];
  };
  expect(await replay()).toEqual([409, 'webhook_event_not_failed']);
  const failure = completed(team, eventId, { outcome: 'failed', error: 'bug', attempts: 8 });
  await service.emit(failure);
  const elsewhere = { teamId: team.teamId, projectId: service.newProject(team.teamId) };
  expect(await replay(elsewhere)).toEqual([404, 'webhook_event_not_found']);

  const { body } = await service.replay(team, eventId);
  expect(body.webhookEvent).toMatchObject({ status: 'received', attempts: 0, error: null, processedAt: null });
  const [first, second] = await service.waitForPublications(eventId, 'customer.updated', 2);
  expect(second?.id).not.toBe(first?.id);
  expect(second?.data).toEqual({ ...first?.data, replays: 1 });
  expect(await replay()).toEqual([409, 'webhook_event_not_failed']);

  // The old report, delivered once more, does not count for the replay; a later report of another event is handled.
  const other = await sendRouted(team);
  await service.emit(failure);
  await service.emit(completed(team, other));
  expect(await service.recordOf(team, eventId)).toMatchObject({ status: 'received' });
  await service.emit(completed(team, eventId));
  expect(await service.recordOf(team, eventId)).toMatchObject({ status: 'processed', attempts: 1, error: null });
});

it('lists only the events of a project, newest first, by status and type and in pages', async () => {
  const team = await service.newTeam();
  const other = { ...team, projectId: service.newProject(team.teamId) };
  const own = [await sendRouted(team), await sendRouted(team), await sendRouted(team)];
  const foreign = await sendRouted(other);
  await service.emit(completed(team, own[1] ?? ''));
  const ids = async (query: string, of = team) =>
    (await service.list(of, query, service.identity.asKey(of))).webhookEvents.map(({ id }) => id);

  await expect.poll(() => ids('')).toEqual(own.toReversed());
  expect(await ids('?status=processed')).toEqual([own[1]]);
  expect(await ids('?status=received&type=customer.updated')).toEqual([own[2], own[0]]);
  expect(await ids('?type=invoice.paid')).toEqual([]);
  expect(await ids('?limit=1&offset=1')).toEqual([own[1]]);
  await expect.poll(() => ids('', other)).toEqual([foreign]);
  expect((await service.list(team, '?limit=1')).pagination).toEqual({
    limit: 1,
    offset: 0,
    total: 3,
    hasMore: true,
    totalIsExact: true,
    nextCursor: expect.any(String),
  });
});

it('completes many events that are reported at the same time', async () => {
  const team = await service.newTeam();
  const ids = await Promise.all(Array.from({ length: 40 }, () => sendRouted(team)));
  await service.emit(...ids.map(id => completed(team, id)));
  expect((await service.list(team, '?status=processed')).pagination.total).toBe(40);
  await service.waitForTotals(team.projectId, { total: 40, processed: 40, failed: 0 });
});
