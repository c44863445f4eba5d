import { ResourceChanged, type ResourceChange } from '@billing/contracts/events/resources';
import { CustomerId, WebhookEndpointId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newEndpointSecret } from '#domain/sent-signature.ts';
import { saveEndpointSecret } from '#outgoing/endpoint-secrets.ts';
import { openSealedSecrets } from '#persistence/sealed-secrets.ts';
import { openKeyRing } from '@billing/processor/key-ring';
import { startReceiver } from './receiver.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({
    reconciler: false,
    env: { SYNC_NIGHTLY: 'off', WEBHOOKS_ALLOW_ADDRESSES: '127.0.0.0/8' },
  });
});
afterAll(() => service[Symbol.asyncDispose]());

async function newEndpoint(team: Team, url: string, more: { eventTypes?: string[]; maxConcurrency?: number } = {}) {
  const id = WebhookEndpointId.create();
  const secret = newEndpointSecret();
  await service.sql(
    `insert into webhook_endpoints (id, team_id, project_id, url, event_types, max_concurrency, include_sync, api_version, status,
       failures, has_failed_two_objects, position, wanted_position, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, false, '2026-12-01', 'enabled', 0, false, 0, 0, now(), now())`,
    [id, team.teamId, team.projectId, url, `{${(more.eventTypes ?? ['*']).join(',')}}`, more.maxConcurrency ?? 10],
  );
  const keyRing = openKeyRing(`1:${service.credentialsKey.toString('base64')}`);
  const sealed = openSealedSecrets({ keyRing, logger: service.logger });
  await service.em
    .fork()
    .transactional(tx => saveEndpointSecret(tx, sealed, { id, teamId: team.teamId }, { id, secret }));
  return { id, secret };
}

const change = ({ projectId }: Team, id: CustomerId, sequence: number): ResourceChange => ({
  projectId,
  type: sequence === 1 ? 'customer.created' : 'customer.updated',
  object: { type: 'customer', id, sequence },
  at: new Date(),
  cause: { type: 'api', requestId: 'req_1', processorEventId: null },
  data: { id, name: `Ada ${sequence}` },
  previousAttributes: sequence === 1 ? null : { name: `Ada ${sequence - 1}` },
});
const emit = (team: Team, ...changes: readonly ResourceChange[]) =>
  service.emit(...changes.map(data => newEvent(ResourceChanged, team.teamId, data)));
const history = (team: Team, objects: number, length: number): ResourceChange[] =>
  Array.from({ length: objects }, () => CustomerId.create()).flatMap(id =>
    Array.from({ length }, (_, index) => change(team, id, index + 1)),
  );
const rowOf = async (id: string) =>
  (
    await service.sql(
      'select position::int, wanted_position::int, status, lease_id from webhook_endpoints where id = ?',
      [id],
    )
  )[0];

it('sends every event once, signed, those of an object in order', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const { id, secret } = await newEndpoint(team, receiver.url);
  const changes = history(team, 5, 4);
  await emit(team, ...changes);
  await waitFor(() => receiver.received.length >= changes.length, { what: 'every event' });
  const events = receiver.verified(secret);
  expect(new Set(events.map(event => event.id)).size).toBe(changes.length);
  for (const [, ofObject] of Map.groupBy(events, ({ object }) => object.id))
    expect(ofObject.map(({ object }) => object.sequence)).toEqual([1, 2, 3, 4]);
  await waitFor(async () => (await rowOf(id))?.['position'] === changes.length, { what: 'the cursor' });
  const attempts = await service.sql('select status, attempts from webhook_deliveries where endpoint_id = ?', [id]);
  expect(attempts).toEqual(changes.map(() => ({ status: 'succeeded', attempts: 1 })));
});

it('holds later events of an object while an earlier one is tried again, and no others', async () => {
  const team = await service.newTeam();
  const [broken, fine] = [CustomerId.create(), CustomerId.create()];
  let isMended = false;
  await using receiver = await startReceiver(({ body }) => (body.includes(broken) && !isMended ? 500 : 200));
  const { id, secret } = await newEndpoint(team, receiver.url);
  await emit(team, ...[1, 2].flatMap(sequence => [change(team, broken, sequence), change(team, fine, sequence)]));
  await waitFor(() => receiver.received.filter(({ body }) => body.includes(fine)).length === 2, { what: 'the others' });
  await waitFor(async () => (await rowOf(id))?.['position'] === 4, { what: 'the cursor to pass what waits' });
  expect(
    receiver
      .verified(secret)
      .filter(({ object }) => object.id === broken)
      .map(({ object }) => object.sequence),
  ).toEqual([1]);
  isMended = true;
  await service.sql(
    `update webhook_deliveries set next_attempt_at = now() where endpoint_id = ? and next_attempt_at is not null`,
    [id],
  );
  await service.sql(`update webhook_endpoints set due_at = now() where id = ? and lease_id is null`, [id]);
  await waitFor(() => receiver.received.filter(({ body }) => body.includes(broken)).length === 3, { what: 'the rest' });
  expect(
    receiver
      .verified(secret)
      .filter(({ object }) => object.id === broken)
      .map(({ object }) => object.sequence),
  ).toEqual([1, 1, 2]);
});

it('delays no endpoint by one that hangs', async () => {
  const team = await service.newTeam();
  await using hanging = await startReceiver(() => 'hang');
  await using receiver = await startReceiver();
  await newEndpoint(team, hanging.url);
  const { secret } = await newEndpoint(team, receiver.url, { eventTypes: ['customer.created'] });
  await emit(team, ...history(team, 30, 1));
  await waitFor(() => receiver.received.length === 30, { what: 'every event at the other one' });
  expect(receiver.verified(secret)).toHaveLength(30);
});

it('tries a failing endpoint with one event, and sends what waits in order after a success', async () => {
  const team = await service.newTeam();
  let isMended = false;
  await using receiver = await startReceiver(() => (isMended ? 200 : 503));
  const { id, secret } = await newEndpoint(team, receiver.url, { maxConcurrency: 1 });
  await emit(team, ...history(team, 12, 1));
  await waitFor(async () => (await rowOf(id))?.['status'] === 'failing', { what: 'it to count as failing' });
  await waitFor(async () => (await rowOf(id))?.['lease_id'] === null, { what: 'its turn to end' });
  expect(receiver.received).toHaveLength(5);
  isMended = true;
  await service.sql(`update webhook_endpoints set due_at = now() where id = ?`, [id]);
  await waitFor(async () => (await rowOf(id))?.['position'] === 12, { what: 'what waits' });
  const fresh = receiver.verified(secret).slice(5);
  expect(fresh.map(({ position }) => position)).toEqual([6, 7, 8, 9, 10, 11, 12]);
  expect(await rowOf(id)).toMatchObject({ status: 'enabled' });
});
