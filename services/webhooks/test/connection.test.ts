import { TeamId } from '@billing/contracts/ids';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PUBLIC_URL, startWebhooks, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks();
});
afterAll(() => service[Symbol.asyncDispose]());

it('describes the connection of a team, without its secrets', async () => {
  const team = await service.newTeam();
  const as = service.identity.asUser(team);
  const { body } = await service.call('GET', `/api/service/teams/${team.teamId}/processor`, { as });
  expect(body).toEqual({
    isLocal: true,
    lastAccount: null,
    isPurging: false,
    processor: {
      connected: true,
      accountId: expect.stringMatching(/^acct_/),
      livemode: false,
      publishableKey: expect.anything(),
      secretKeyLast4: expect.stringMatching(/^.{4}$/),
      webhookUrl: `${PUBLIC_URL}/api/webhooks/processor/${team.teamId}`,
      apiVersion: expect.any(String),
      connectedAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  });
});

it('says so when a team is not connected', async () => {
  const teamId = TeamId.create();
  const as = service.identity.asUser({ teamId });
  const { body } = await service.call('GET', `/api/service/teams/${teamId}/processor`, { as });
  expect(body).toMatchObject({ processor: null });
});

it('returns an event with its payload to its team only', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const event = newWebhookEvent('product.created', { id: 'prod_other', object: 'product', metadata: {} });
  await service.send(team, event);
  const path = `/api/service/teams/${team.teamId}/webhook-events/${event.id}`;
  const { body } = await service.call('GET', path, { as: service.identity.asUser(team) });
  expect(body).toMatchObject({ webhookEvent: { id: event.id, type: 'product.created' }, payload: event });
  const foreign = `/api/service/teams/${other.teamId}/webhook-events/${event.id}`;
  const refused = await service.call('GET', foreign, { as: service.identity.asUser(other) });
  expect(refused).toMatchObject({ status: 404, body: { error: { code: 'webhook_event_not_found' } } });
});
