import { AuditRecorded } from '@billing/contracts/events/audit';
import { PurgeStarted } from '@billing/contracts/events/webhooks';
import { TeamId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false, env: { ROUTING_PAUSES_SECONDS: '0.1' } });
});
afterAll(() => service[Symbol.asyncDispose]());

const recordedOf = async ({ teamId }: Team) =>
  (await service.published(AuditRecorded)).filter(event => event.teamId === teamId).map(({ data }) => data);
const disconnect = ({ teamId }: Team, query = '', body?: object) =>
  service.call('DELETE', `/api/service/teams/${teamId}/processor${query}`, {
    as: service.identity.asUser({ teamId }),
    ...(body && { body }),
  });
const hidden = (field: string) => ({ field, from: null, to: null });
const actor = { type: 'user', id: 'user_test' };

it('records who connected, replaced and disconnected an account, without its secrets', async () => {
  const [teamId, first] = [TeamId.create(), newCredentials()];
  const team = { ...first, teamId, projectId: service.newProject(teamId) };
  expect((await service.connect(teamId, first)).status).toBe(200);
  const extra = `whsec_${'x'.repeat(20)}`;
  const replaced = { ...newCredentials(), secretKey: team.secretKey, additionalWebhookSecrets: [extra] };
  expect((await service.connect(teamId, replaced)).status).toBe(200);
  expect((await disconnect(team)).status).toBe(200);
  expect((await disconnect(team)).status).toBe(200);

  const target = { type: 'processor_account', id: teamId };
  const entries = await recordedOf(team);
  const common = { actor, target, projectId: null, requestId: 'req_test', address: '192.0.2.1', outcome: 'succeeded' };
  expect(entries).toMatchObject([
    {
      ...common,
      action: 'connectProcessor',
      changes: [
        { field: 'accountId', from: null, to: expect.stringMatching(/^acct_/) },
        { field: 'livemode', from: null, to: false },
        { field: 'publishableKey', from: null, to: first.publishableKey },
        hidden('secretKey'),
        hidden('webhookSecret'),
      ],
    },
    {
      ...common,
      action: 'connectProcessor',
      changes: [
        { field: 'publishableKey', from: first.publishableKey, to: replaced.publishableKey },
        hidden('secretKey'),
        hidden('webhookSecret'),
        hidden('additionalWebhookSecrets'),
      ],
    },
    { ...common, action: 'disconnectProcessor', changes: [{ field: 'connected', from: true, to: false }] },
    { ...common, action: 'disconnectProcessor', changes: [] },
  ]);
  const text = JSON.stringify(entries);
  for (const secret of [team.secretKey, team.webhookSecret, replaced.webhookSecret, extra])
    expect(text).not.toContain(secret);
});

it('records a purge, and the purge does not delete what was recorded', async () => {
  const team = await service.newTeam();
  expect((await disconnect(team, '?purge=true', { confirm: 'Acme' })).status).toBe(200);
  const isPurged = async () => {
    const sql = 'select 1 from purged_teams where team_id = ?';
    return service.received.some(({ type, teamId }) => type === PurgeStarted.name && teamId === team.teamId)
      ? (await service.sql(`${sql} and not is_open`, [team.teamId])).length === 1
      : false;
  };
  await waitFor(isPurged, { what: 'the purge to start' });
  const isReported = async () =>
    (await service.published()).some(({ type, teamId }) => type.includes('purge-reported') && teamId === team.teamId);
  await waitFor(isReported, { what: 'the purge to delete' });
  expect(await recordedOf(team)).toMatchObject([
    { action: 'connectProcessor' },
    {
      action: 'disconnectProcessor',
      changes: [
        { field: 'connected', from: true, to: false },
        { field: 'purge', from: null, to: true },
      ],
    },
  ]);
});

it('records a replay, and nothing for requests that are refused', async () => {
  const team = await service.newTeam();
  const { teamId } = team;
  const event = newWebhookEvent('product.created', { id: 'prod_other', object: 'product', metadata: {} });
  await service.send(team, event);
  await waitFor(async () => (await service.recordOf(team, event.id))?.error === 'foreign', {
    what: 'the event to end',
  });
  const replay = () =>
    service.call('POST', `/api/service/teams/${teamId}/webhook-events/${event.id}/replay`, {
      as: service.identity.asUser(team),
      headers: { 'idempotency-key': 'once' },
    });
  expect([(await replay()).status, (await replay()).status]).toEqual([200, 200]);
  expect((await service.connect(teamId, { ...newCredentials(), secretKey: 'sk_test_invalid012' })).status).toBe(400);
  const entries = await recordedOf(team);
  expect(entries.slice(1)).toMatchObject([
    {
      action: 'replayTeamWebhookEvent',
      target: { type: 'webhook_event', id: event.id },
      changes: [{ field: 'status', from: 'ignored', to: 'received' }],
    },
  ]);
});

it('gives a request that runs again under its Idempotency-Key the same entry', async () => {
  const team = await service.newTeam();
  const connect = () =>
    service.call('POST', `/api/service/teams/${team.teamId}/processor/connect`, {
      body: {
        ...newCredentials(),
        secretKey: team.secretKey,
        webhookSecret: team.webhookSecret,
        publishableKey: undefined,
      },
      as: service.identity.asUser(team),
      headers: { 'idempotency-key': 'again' },
    });
  expect((await connect()).status).toBe(200);
  // As after a crash between the commit and the stored response.
  await service.sql(`update idempotent_requests set status = null, due_at = now() where owner = ?`, [team.teamId]);
  expect((await connect()).status).toBe(200);
  const [, first, second, ...more] = await recordedOf(team);
  expect(more).toEqual([]);
  expect(second?.id).toBe(first?.id);
});
