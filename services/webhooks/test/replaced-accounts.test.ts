import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { unseal } from '@billing/processor/credentials';
import { keyRingOf } from '@billing/processor/key-ring';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { teamSchemaName } from '../src/pipeline/raw-object.rules.ts';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false, env: { ROUTING_PAUSES_SECONDS: '3600' } });
});
afterAll(() => service[Symbol.asyncDispose]());

const find = ({ teamId }: Team, minVersion?: number) =>
  service.rpc.call(FindProcessorCredentials, { teamId, service: 'catalog', minVersion });

const open = ({ teamId }: Team, sealed: string) =>
  unseal(keyRingOf(service.account?.serviceKey ?? Buffer.alloc(0)), { teamId, kind: 'secret-key-for-catalog' }, sealed);

it('connects no other account while a write is under way, though nothing is recorded yet', async () => {
  const team = await service.newTeam();
  service.mirrored.set(team.teamId, { records: {}, operations: 1 });
  const { status, body } = await service.connect(team.teamId, newCredentials());
  expect([status, body.error.code, body.error.details.operations]).toEqual([409, 'processor_mismatch', 1]);
  // Another key of the same account.
  const again = { ...newCredentials(), secretKey: team.secretKey };
  expect((await service.connect(team.teamId, again)).status).toBe(200);
});

it('gives a write that begins during a connect the credentials that it ends with', async () => {
  const team = await service.newTeam();
  const [requested, replied] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  service.hold(team.teamId, async fence => {
    requested.resolve(fence);
    await replied.promise;
  });
  const other = newCredentials();
  const connecting = service.connect(team.teamId, other);
  const fence = await requested.promise;
  const found = find(team, fence);
  expect((await find(team))?.version).toBe(1);
  replied.resolve();
  expect((await connecting).status).toBe(200);
  const { version, sealedSecretKey = '' } = (await found) ?? {};
  expect([version, open(team, sealedSecretKey)]).toEqual([fence, other.secretKey]);
});

it('keeps the version of a connect that was refused from every other account', async () => {
  const team = await service.newTeam();
  const fences: number[] = [];
  service.hold(team.teamId, async fence => {
    fences.push(fence);
    // A write begins before the second request.
    service.mirrored.set(team.teamId, { records: { customers: 1 }, operations: 0 });
  });
  expect((await service.connect(team.teamId, newCredentials())).body.error.code).toBe('processor_mismatch');
  expect(fences).toEqual([2]);
  expect(await find(team, 2)).toMatchObject({ version: 2 });
  service.mirrored.delete(team.teamId);
  service.hold(team.teamId, async () => undefined);
  expect((await service.connect(team.teamId, newCredentials())).status).toBe(200);
  expect(await find(team, 2)).toMatchObject({ version: 3 });
});

it('connects no other account while an owner does not respond', async () => {
  const team = await service.newTeam();
  service.hold(team.teamId, async () => {
    throw new Error('no');
  });
  expect((await service.connect(team.teamId, newCredentials())).status).toBe(503);
  expect((await find(team))?.version).toBe(1);
});

it('waits for events under way, and does nothing more about those of the last account', async () => {
  const team = await service.newTeam();
  const [underWay, waiting] = [customerUpdated(team.projectId), customerUpdated('proj_unknown')];
  await service.send(team, underWay);
  await service.waitForPublications(underWay.id);
  await service.send(team, waiting);
  await waitFor(
    async () => (await service.sql('select 1 from webhook_events where waiting_for is not null')).length === 1,
    { what: 'the event to wait for its project' },
  );
  const other = newCredentials();
  expect((await service.connect(team.teamId, other)).body.error.code).toBe('processor_mismatch');
  await service.sql(`update webhook_events set status = 'failed', due_at = null, lease_id = null where id = ?`, [
    underWay.id,
  ]);
  expect((await service.connect(team.teamId, other)).status).toBe(200);
  const rows = await service.sql(`select distinct status, error, due_at from webhook_events where team_id = ?`, [
    team.teamId,
  ]);
  expect(rows).toEqual([{ status: 'ignored', error: 'other_account', due_at: null }]);
  expect((await service.replay(team, underWay.id)).status).toBe(409);
  expect(await service.sql('select 1 from pg_namespace where nspname = ?', [teamSchemaName(team.teamId)])).toEqual([]);
});
