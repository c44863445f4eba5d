import { waitFor } from '@billing/testing/wait-for';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { completed } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ env: { ROUTING_PAUSES_SECONDS: '0.1,0.1' } });
});
afterAll(() => service[Symbol.asyncDispose]());

const pathOf = ({ teamId }: Team, rest = '') => `/api/service/teams/${teamId}/webhook-events${rest}`;
const listOf = async (team: Team, query = '') => {
  const { status, body } = await service.call('GET', pathOf(team, query), { as: service.identity.asUser(team) });
  expect(status).toBe(200);
  return body as { webhookEvents: { id: string; status: string; error: string | null }[]; pagination: object }; // the API's shape
};
const replayOf = (team: Team, eventId: string) =>
  service.call('POST', pathOf(team, `/${eventId}/replay`), { as: service.identity.asUser(team) });

const newForeignEvent = () => newWebhookEvent('product.created', { id: 'prod_other', object: 'product', metadata: {} });

/** Sends an event that ends as foreign. */
async function sendForeign(team: Team) {
  const event = newForeignEvent();
  await service.send(team, event);
  await waitFor(async () => (await service.recordOf(team, event.id))?.error === 'foreign', {
    what: 'the event to end',
  });
  return event;
}

it('lists the events of all projects of a team and those without one, newest first', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const second = service.newProject(team.teamId);
  await service.sql(`insert into project_copies values (?, ?), (?, ?)`, [
    team.teamId,
    team.projectId,
    team.teamId,
    second,
  ]);
  const foreign = await sendForeign(team);
  const [first, last] = [customerUpdated(team.projectId), customerUpdated(second)];
  for (const [event, projectId] of [
    [first, team.projectId],
    [last, second],
  ] as const) {
    await service.send(team, event);
    await service.waitForPublications(event.id);
    await service.emit(completed({ teamId: team.teamId, projectId }, event.id));
    await waitFor(
      async () => (await listOf(team, '?status=processed')).webhookEvents.some(({ id }) => id === event.id),
      { what: 'the event to be processed' },
    );
  }
  await service.send(other, newForeignEvent());

  const all = await listOf(team);
  expect(all.webhookEvents.map(({ id }) => id)).toEqual([last.id, first.id, foreign.id]);
  expect(all.pagination).toEqual({
    limit: 50,
    offset: 0,
    total: 3,
    hasMore: false,
    totalIsExact: true,
    nextCursor: null,
  });
  expect((await listOf(team, '?projectId=none')).webhookEvents).toMatchObject([{ id: foreign.id, error: 'foreign' }]);
  expect((await listOf(team, '?type=customer.updated&limit=1&offset=1')).webhookEvents).toMatchObject([
    { id: first.id },
  ]);
  expect((await listOf(team, '?status=ignored')).webhookEvents).toMatchObject([{ id: foreign.id }]);
  expect((await listOf(team, '?objectId=prod_other')).webhookEvents).toMatchObject([{ id: foreign.id }]);
  expect((await listOf(team, '?objectId=prod_other&status=failed')).webhookEvents).toEqual([]);
  const wrong = await service.call('GET', pathOf(team, '?projectId=all'), { as: service.identity.asUser(team) });
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'validation_error']);
});

it('replays a foreign event of the team, and no event of another team', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const { id } = await sendForeign(team);
  expect((await replayOf(other, id)).status).toBe(404);
  const { status, body } = await replayOf(team, id);
  expect([status, body.webhookEvent]).toMatchObject([200, { id, status: 'received', error: null }]);
  await waitFor(async () => (await service.recordOf(team, id))?.error === 'foreign', {
    what: 'the event to end again',
  });
});

it('replays no event of a type that is not handled', async () => {
  const team = await service.newTeam();
  const event = newWebhookEvent('payment_method.attached', { id: 'pm_1' });
  await service.send(team, event);
  expect((await replayOf(team, event.id)).body.error.code).toBe('webhook_event_not_failed');
});

it('S43: ignores events of the other mode than the account’s, with no effect', async () => {
  const team = await service.newTeam();
  const event = customerUpdated(team.projectId);
  const live = { ...event, livemode: true };
  const deleted = newWebhookEvent('customer.deleted', { ...event.data.object, deleted: true }, { livemode: true });
  const unhandled = newWebhookEvent('payment_method.attached', { id: 'pm_1' }, { livemode: true });
  for (const one of [live, deleted, unhandled])
    expect(await service.send(team, one)).toMatchObject({ status: 200, body: { received: true } });
  const expected = { status: 'ignored', error: 'livemode_mismatch', projectId: null, livemode: true };
  for (const { id } of [live, deleted, unhandled]) expect(await service.recordOf(team, id)).toMatchObject(expected);
  expect((await listOf(team, '?projectId=none')).webhookEvents).toMatchObject([expected, expected, expected]);
  expect((await replayOf(team, live.id)).body.error.code).toBe('webhook_event_not_failed');

  // When a later event is published, the earlier one would have been, too.
  const last = customerUpdated(team.projectId);
  await service.send(team, last);
  await service.waitForPublications(last.id);
  for (const { id } of [live, deleted]) expect(service.publicationsOf(id)).toEqual([]);
  expect(await service.sql(`select id from "${team.teamId}".customers`)).toHaveLength(1);
});

it('replays an event of the other mode once the account has it', async () => {
  const team = await service.newTeam();
  const event = { ...customerUpdated(team.projectId), livemode: true };
  await service.send(team, event);
  await service.sql(`update processor_accounts set livemode = true where team_id = ?`, [team.teamId]);
  expect((await replayOf(team, event.id)).status).toBe(200);
  await service.waitForPublications(event.id);
  expect((await replayOf(team, customerUpdated().id)).status).toBe(404);
});

it('refuses a filter with a NUL, of the project’s events and of the team’s', async () => {
  const team = await service.newTeam();
  const as = service.identity.asUser(team);
  for (const path of ['/webhook-events', `/api/service/teams/${team.teamId}/webhook-events`]) {
    const { status, body } = await service.call('GET', `${path}?type=%00`, { of: team, as });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'validation_error', details: { fields: [{ path: 'type' }] } } });
  }
});
