import { randomBytes } from 'node:crypto';
import { FindWebhookEventObject } from '@billing/contracts/rpc/calls';
import { openStoredObjects } from '@billing/messaging/consumer/stored-objects';
import { newWebhookEvent, signatureOf } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { MAX_BYTES_ON_BUS } from '../src/pipeline/publish.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

/** The least that a NATS server takes in one message, unless it is configured otherwise. */
const MAX_PAYLOAD = 1_048_576;

let service: WebhooksService;
let team: Team;
beforeAll(async () => {
  service = await startWebhooks();
});
beforeEach(async () => {
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

async function publish(event: ReturnType<typeof customerUpdated>) {
  expect((await service.send(team, event)).status).toBe(200);
  const [publication] = await service.waitForPublications(event.id);
  if (!publication) throw new Error('The event was not published.');
  return publication.data;
}
const read = (eventId: string, teamId = team.teamId) =>
  openStoredObjects(service.rpc)({ teamId, eventId }, async stored => stored);

it('publishes an event of the usual size with its object', async () => {
  const event = customerUpdated(team.projectId, { description: 'x'.repeat(20_000) });
  const data = await publish(event);
  expect(data.object).toEqual(event.data.object);
  expect(data.objectOmitted).toBeUndefined();
});

it('S33: publishes a large event without its object, and returns the object to those who ask for it', async () => {
  const event = newWebhookEvent('customer.updated', {
    ...customerUpdated(team.projectId).data.object,
    description: 'x'.repeat(MAX_BYTES_ON_BUS),
  });
  const withPrevious = { ...event, data: { ...event.data, previous_attributes: { name: 'Ada' } } };
  const data = await publish(withPrevious);
  expect(data).toMatchObject({ object: { id: event.data.object.id }, previousAttributes: null, objectOmitted: true });
  expect(JSON.stringify(data).length).toBeLessThan(1_000);
  expect(await read(event.id)).toEqual({ object: event.data.object, previousAttributes: { name: 'Ada' } });
});

it.each([
  ['of random text', () => randomBytes(750_000).toString('base64')],
  ['whose numbers are longer in JSON than in the body', () => Array.from({ length: 190_000 }, () => 1e20)],
])('returns the largest object %s in replies that fit into a message', async (_what, content) => {
  const event = customerUpdated(team.projectId, { description: content() });
  const body = JSON.stringify(event).replaceAll('100000000000000000000', '1e20');
  expect((await service.post(team.teamId, body, signatureOf(body, team.webhookSecret))).status).toBe(200);
  await service.waitForPublications(event.id);
  let parts = 1;
  for (let part = 0; part < parts; part += 1) {
    const reply = await service.rpc.call(FindWebhookEventObject, { teamId: team.teamId, eventId: event.id, part });
    parts = reply?.parts ?? 0;
    expect(JSON.stringify({ reply }).length).toBeLessThan(MAX_PAYLOAD);
  }
  expect(parts).toBeGreaterThan(0);
  expect((await read(event.id))?.object).toEqual(event.data.object);
});

it('returns no object of another team, or of an event whose payload was deleted', async () => {
  const event = customerUpdated(team.projectId, { description: 'x'.repeat(40_000) });
  await publish(event);
  expect(await read(event.id, (await service.newTeam()).teamId)).toBeNull();
  await service.sql('update webhook_events set payload = null where id = ?', [event.id]);
  expect(await read(event.id)).toBeNull();
});

it('returns what a sync read of a large object', async () => {
  const object = { id: 'in_1', object: 'invoice', description: 'x'.repeat(MAX_BYTES_ON_BUS) };
  await service.sql(
    `insert into sync_objects (sync_id, type, processor_id, team_id, project_id, state, object, read_at, is_marked, outcome, fields, applied, checks)
     values ('sync_1', 'invoice', 'in_1', ?, ?, 'sent', ?, now(), false, 'missing', '[]', false, 0)`,
    [team.teamId, team.projectId, JSON.stringify(object)],
  );
  expect(await read('sync_1:invoice:in_1')).toEqual({ object, previousAttributes: null });
  expect(await read('sync_1:invoice:in_1', (await service.newTeam()).teamId)).toBeNull();
});
