import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { TeamId } from '@billing/contracts/ids';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaseTeams } from '../src/receipt/reconciliations.ts';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false });
});
afterAll(() => service[Symbol.asyncDispose]());

const disconnect = ({ teamId }: Pick<Team, 'teamId'>, as = service.identity.asUser({ teamId })) =>
  service.call('DELETE', `/api/service/teams/${teamId}/processor`, { as });

it('refuses webhooks and writes after a disconnect, and goes on with reads', async () => {
  const team = await service.newTeam();
  const event = customerUpdated(team.projectId);
  await service.send(team, event);
  await service.waitForPublications(event.id);
  const { status, body } = await disconnect(team);
  expect([status, body]).toEqual([200, { success: true }]);

  const refused = await service.send(team, customerUpdated(team.projectId));
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_signature']);
  const shown = await service.call('GET', `/api/service/teams/${team.teamId}/processor`, {
    as: service.identity.asUser(team),
  });
  const { accountId } = await service.processorOf(team).findAccount();
  const lastAccount = { accountId, livemode: false, secretKeyLast4: team.secretKey.slice(-4) };
  expect(shown.body).toMatchObject({ processor: null, isPurging: false, lastAccount });
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: team.teamId, service: 'catalog' })).toBeNull();
  await expect(service.processors.of(team.teamId)).rejects.toMatchObject({ code: 'processor_not_connected' });
  expect((await service.list(team)).webhookEvents).toMatchObject([{ id: event.id }]);
  const changes = () =>
    service.received.filter(({ type, teamId }) => type === ProcessorAccountChanged.name && teamId === team.teamId);
  await waitFor(() => changes().length === 2, { what: 'the change to be published' });
  const kept = await service.sql(
    `select (select json_agg(a) from processor_accounts a where team_id = ?)::text
         || coalesce((select json_agg(s) from signing_secrets s where team_id = ?)::text, '') as everything`,
    [team.teamId, team.teamId],
  );
  expect(kept[0]?.['everything']).not.toContain('v1.');
});

it('stays disconnected when it is disconnected again, and never was if it was not connected', async () => {
  const team = await service.newTeam();
  expect((await disconnect(team)).status).toBe(200);
  expect((await disconnect(team)).status).toBe(200);
  const { status, body } = await disconnect({ teamId: TeamId.create() });
  expect([status, body.error.code]).toEqual([409, 'processor_not_connected']);
});

it('deletes the endpoint that it made, and disconnects even when that fails', async () => {
  for (const fails of [false, true]) {
    const teamId = TeamId.create();
    const { secretKey } = newCredentials();
    await service.connect(teamId, { secretKey });
    const control = service.controlOf({ secretKey });
    if (fails) await control.fail({ mode: '500', method: 'DELETE', path: '/v1/webhook_endpoints', times: 10 });
    expect((await disconnect({ teamId })).status).toBe(200);
    const { data } = await service.stripeOf({ secretKey }).webhookEndpoints.list();
    expect(data).toHaveLength(fails ? 1 : 0);
    expect(await service.rpc.call(FindProcessorCredentials, { teamId, service: 'catalog' })).toBeNull();
  }
});

it('scans the events of a team no more, and those of the time in between once it is connected again', async () => {
  const team = await service.newTeam();
  const { teamId, secretKey } = team;
  await service.sql(`update reconciliations set scanned_until = '2026-01-01T00:00:00Z' where team_id = ?`, [teamId]);
  await disconnect(team);
  const isLeased = async () => (await leaseTeams(service.em, 100)).find(leased => leased.teamId === teamId);
  expect(await isLeased()).toBeUndefined();
  expect((await service.connect(teamId, { ...newCredentials(), secretKey })).status).toBe(200);
  expect((await isLeased())?.scannedUntil.toISOString()).toBe('2026-01-01T00:00:00.000Z');
});

it('connects the same account again, and no other one while there are records', async () => {
  const team = await service.newTeam();
  const { teamId, secretKey } = team;
  const { accountId } = await service.processorOf(team).findAccount();
  service.mirrored.set(teamId, { records: { customers: 1 }, operations: 0 });
  const restricted = secretKey.replace('sk_', 'rk_');
  await service.controlOf(team).restrictKey(restricted, []);
  const other = newCredentials();
  const given = await service.processorOf(other).findAccount();
  const mismatch = {
    connected: { accountId, livemode: false },
    given: { ...given, livemode: false },
    records: { customers: 1, products: 0, prices: 0, coupons: 0, subscriptions: 0 },
  };

  for (const isConnected of [true, false]) {
    const response = await service.connect(teamId, other);
    expect([response.status, response.body.error.code]).toEqual([409, 'processor_mismatch']);
    expect(response.body.error.details).toEqual(mismatch);
    const alone = await service.connect(teamId, { secretKey: other.secretKey });
    expect(alone.body.error.code).toBe('processor_mismatch');
    expect((await service.stripeOf(other).webhookEndpoints.list()).data).toEqual([]);
    if (isConnected) await disconnect(team);
  }
  // Another key of the same account.
  const again = await service.connect(teamId, { ...newCredentials(), secretKey: restricted });
  expect(again.body.processor).toMatchObject({ accountId, connected: true });

  service.mirrored.delete(teamId);
  expect((await service.connect(teamId, other)).status).toBe(200);
});

it('takes a live key for another account while there are records', async () => {
  const team = await service.newTeam();
  service.mirrored.set(team.teamId, { records: { customers: 1 }, operations: 0 });
  const { body } = await service.connect(team.teamId, {
    ...newCredentials(),
    secretKey: 'sk_live_0123456789abcdef',
    publishableKey: 'pk_live_0123456789',
  });
  expect(body.error).toMatchObject({
    code: 'processor_mismatch',
    details: { connected: { livemode: false }, given: { livemode: true } },
  });
});

it('can be disconnected by owners only', async () => {
  const team = await service.newTeam();
  const member = service.identity.asUser({ teamId: team.teamId, role: 'member' });
  expect((await disconnect(team, member)).status).toBe(403);
  expect((await disconnect(team, service.identity.asUser({ teamId: TeamId.create() }))).status).toBe(403);
  expect((await disconnect(team, service.identity.asKey(team))).status).toBe(403);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: team.teamId, service: 'catalog' })).not.toBeNull();
});
