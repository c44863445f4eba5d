import { CustomerId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requireCounted } from './count-stored.ts';
import {
  customerChange as change,
  customerHistory as history,
  startDelivering,
  type OutgoingSteps,
} from './outgoing-steps.ts';
import { startReceiver } from './receiver.ts';
import { refuseRows } from './refuse-rows.ts';
import type { WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let steps: OutgoingSteps;
beforeAll(async () => {
  ({ service, steps } = await startDelivering());
});
afterEach(() => requireCounted(service.em));
afterAll(() => service[Symbol.asyncDispose]());

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
  const { id, secret } = await steps.newEndpoint(team, receiver.url);
  const changes = history(team, 5, 4);
  await steps.emit(team, ...changes);
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
  const { id, secret } = await steps.newEndpoint(team, receiver.url);
  await steps.emit(team, ...[1, 2].flatMap(sequence => [change(team, broken, sequence), change(team, fine, sequence)]));
  await waitFor(() => receiver.received.filter(({ body }) => body.includes(fine)).length === 2, { what: 'the others' });
  await waitFor(async () => (await rowOf(id))?.['position'] === 4, { what: 'the cursor to pass what waits' });
  expect(
    receiver
      .verified(secret)
      .filter(({ object }) => object.id === broken)
      .map(({ object }) => object.sequence),
  ).toEqual([1]);
  isMended = true;
  await steps.endPauses(id);
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
  await steps.newEndpoint(team, hanging.url);
  const { secret } = await steps.newEndpoint(team, receiver.url, { eventTypes: ['customer.created'] });
  await steps.emit(team, ...history(team, 30, 1));
  await waitFor(() => receiver.received.length === 30, { what: 'every event at the other one' });
  expect(receiver.verified(secret)).toHaveLength(30);
});

it('tries a failing endpoint with one event, and sends what waits in order after a success', async () => {
  const team = await service.newTeam();
  let isMended = false;
  await using receiver = await startReceiver(() => (isMended ? 200 : 503));
  const { id, secret } = await steps.newEndpoint(team, receiver.url, { maxConcurrency: 1 });
  await steps.emit(team, ...history(team, 12, 1));
  await waitFor(async () => (await rowOf(id))?.['status'] === 'failing', { what: 'it to count as failing' });
  await waitFor(async () => (await rowOf(id))?.['lease_id'] === null, { what: 'its turn to end' });
  expect(receiver.received).toHaveLength(5);
  isMended = true;
  await service.sql(`update webhook_endpoints set due_at = now() where id = ?`, [id]);
  await waitFor(async () => (await rowOf(id))?.['position'] === 12, { what: 'what waits' });
  const fresh = receiver.verified(secret).slice(5);
  // The one that was tried, then what waits: those that had failed too, without their pauses.
  expect(fresh.map(({ position }) => position)).toEqual([6, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]);
  expect(await rowOf(id)).toMatchObject({ status: 'enabled' });
});

it('frees what waits for an event that is sent by hand', async () => {
  const team = await service.newTeam();
  const customer = CustomerId.create();
  let isMended = false;
  await using receiver = await startReceiver(() => (isMended ? 200 : 500));
  const { id, secret } = await steps.newEndpoint(team, receiver.url);
  await steps.emit(team, change(team, customer, 1), change(team, customer, 2), change(team, customer, 3));
  await waitFor(async () => (await rowOf(id))?.['position'] === 3 && (await rowOf(id))?.['lease_id'] === null, {
    what: 'the others to wait',
  });
  await service.sql(
    `update webhook_deliveries set next_attempt_at = now() + interval '1 day' where endpoint_id = ? and next_attempt_at is not null`,
    [id],
  );
  isMended = true;
  const [first] = await service.sql('select id from webhook_deliveries where endpoint_id = ? order by position', [id]);
  await steps.call(team, 'POST', `/webhook-deliveries/${String(first?.['id'])}/retry`);
  await waitFor(() => receiver.received.length === 4, { what: 'what waited' });
  expect(receiver.verified(secret).map(({ position }) => position)).toEqual([1, 1, 2, 3]);
});

it('sends nothing again because it could not be written for a while', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const { id } = await steps.newEndpoint(team, receiver.url);
  const refusing = await refuseRows(service, 'insert', `new.endpoint_id = '${id}'`, 'webhook_deliveries');
  const hold = (lease: string) => service.sql(`update webhook_endpoints set ${lease} where id = ?`, [id]);
  await hold(`lease_id = gen_random_uuid(), due_at = now() + interval '1 hour'`);
  await steps.emit(team, ...history(team, 2, 2));
  await hold('lease_id = null, due_at = now()');
  await waitFor(() => receiver.received.length === 4, { what: 'every event' });
  await refusing[Symbol.asyncDispose]();
  await waitFor(async () => (await rowOf(id))?.['position'] === 4, { what: 'the cursor' });
  const written = await service.sql('select status from webhook_deliveries where endpoint_id = ?', [id]);
  expect(written).toEqual(Array.from({ length: 4 }, () => ({ status: 'succeeded' })));
  expect(receiver.received).toHaveLength(4);
});

it('disables an endpoint that is gone, and reports it', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver(() => 410);
  const { id } = await steps.newEndpoint(team, receiver.url, { eventTypes: ['customer.*'] });
  await steps.emit(team, ...history(team, 1, 1));
  const events = async () => (await steps.call(team, 'GET', `/events?objectId=${id}`)).body.events;
  await waitFor(async () => (await events()).length === 1, { what: 'the event' });
  const endpoint = await steps.call(team, 'GET', `/webhook-endpoints/${id}`);
  expect((await events())[0]).toMatchObject({
    type: 'webhook_endpoint.disabled',
    object: { type: 'webhook_endpoint', id, sequence: 1 },
    cause: { type: 'system' },
    data: { id, status: 'disabled', disabledReason: 'gone' },
    previousAttributes: null,
  });
  expect(endpoint.body.webhookEndpoint).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
  await steps.emit(team, ...history(team, 1, 1));
  expect(receiver.received).toHaveLength(1);
});
