import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { newStripeCustomer } from './stripe-events.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false });
});
afterAll(() => service[Symbol.asyncDispose]());

const newEvent = ({ projectId }: Team, changes: object) =>
  newWebhookEvent('customer.updated', newStripeCustomer(projectId), changes);

/** Sends an event and then one of the team's own; when that one is published, the other would be as well. */
async function sendBeforeOwn(team: Team, event: ReturnType<typeof newEvent>, signedBy: Team = team) {
  expect((await service.send(signedBy, event)).body).toEqual({ received: true });
  const own = newEvent(team, {});
  await service.send(team, own);
  await service.waitForPublications(own.id);
  return own.data.object.id;
}

const mirrored = ({ teamId }: Team) => service.sql(`select id from "${teamId}".customers`);

it.each([
  ['a connected account', { account: 'acct_other' }],
  ['an account of an organization', { context: 'org_1/acct_other' }],
])('ignores an event of %s, whatever project its object names', async (_whose, changes) => {
  const team = await service.newTeam();
  const event = newEvent(team, changes);
  const ownId = await sendBeforeOwn(team, event);
  expect(service.publicationsOf(event.id)).toEqual([]);
  expect(await mirrored(team)).toEqual([{ id: ownId }]);
  expect(await service.recordOf(team, event.id)).toMatchObject({
    status: 'ignored',
    error: 'other_account',
    projectId: null,
  });
  const { status, body } = await service.replay(team, event.id);
  expect([status, body.error.code]).toEqual([409, 'webhook_event_not_failed']);
  expect(await service.sql('select 1 from webhook_events where id = ? and payload is not null', [event.id])).toEqual(
    [],
  );
});

it('handles an event that names the team’s own account', async () => {
  const team = await service.newTeam();
  const { accountId } = await service.processorOf(team).findAccount();
  const events = [{ account: accountId }, { context: accountId }, { context: 'org_1' }, { account: null }].map(
    changes => newEvent(team, changes),
  );
  for (const event of events) await service.send(team, event);
  for (const { id } of events) expect(await service.waitForPublications(id)).toHaveLength(1);
});

it('ignores what the secret of the former account signs once another account is connected', async () => {
  const team = await service.newTeam();
  const credentials = newCredentials();
  const renewed: Team = { ...team, ...credentials };
  expect((await service.connect(team.teamId, credentials)).status).toBe(200);
  const event = newEvent(team, {});
  await sendBeforeOwn(renewed, event, team);
  expect(service.publicationsOf(event.id)).toEqual([]);
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'ignored', error: 'other_account' });
});

it('leaves the health of the connection alone', async () => {
  const team = await service.newTeam();
  await sendBeforeOwn(team, newEvent(team, { account: 'acct_other' }));
  const as = service.identity.asUser({ teamId: team.teamId });
  const { body } = await service.call('GET', `/api/service/teams/${team.teamId}/processor/health`, { as });
  const events = body.checks.find(({ name }: { name: string }) => name === 'events');
  expect(events).toMatchObject({ status: 'ok' });
});
