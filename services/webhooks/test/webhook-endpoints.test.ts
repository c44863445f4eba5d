import { AuditRecorded } from '@billing/contracts/events/audit';
import { WebhookEndpointId } from '@billing/contracts/ids';
import { readEndpointKeys } from '../src/outgoing/endpoint-secrets.ts';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDelivering, type OutgoingSteps } from './outgoing-steps.ts';
import { startReceiver } from './receiver.ts';
import type { WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let steps: OutgoingSteps;
beforeAll(async () => {
  ({ service, steps } = await startDelivering());
});
afterAll(() => service[Symbol.asyncDispose]());

const call: OutgoingSteps['call'] = (...request) => steps.call(...request);
const newEventOf: OutgoingSteps['newEventOf'] = (...event) => steps.newEventOf(...event);

it('creates an endpoint whose secret is shown once, and signs with it', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  await newEventOf(team);
  const created = await call(team, 'POST', '/webhook-endpoints', { url: receiver.url, description: 'Shop' });
  expect(created.status).toBe(201);
  const { webhookEndpoint, secret } = created.body;
  expect(webhookEndpoint).toMatchObject({
    url: receiver.url,
    eventTypes: ['*'],
    status: 'enabled',
    description: 'Shop',
  });
  expect(webhookEndpoint.secrets).toEqual([
    { last4: secret.slice(-4), createdAt: expect.any(String), expiresAt: null },
  ]);
  const listed = await call(team, 'GET', '/webhook-endpoints');
  expect(listed.body.webhookEndpoints).toEqual([webhookEndpoint]);
  expect(JSON.stringify(listed.body)).not.toContain(secret);
  const event = await newEventOf(team);
  await waitFor(() => receiver.received.length > 0, { what: 'the event' });
  expect(receiver.verified(secret)).toEqual([event]);
  expect(receiver.received[0]?.body).toBe(JSON.stringify(event));
});

it('gives the same endpoint and secret to the same request', async () => {
  const team = await service.newTeam();
  const key = { 'idempotency-key': 'one' };
  const create = () => call(team, 'POST', '/webhook-endpoints', { url: 'https://hooks.example/' }, key);
  const [first, second] = [await create(), await create()];
  expect(first.status).toBe(201);
  expect(second.body).toEqual(first.body);
});

it('finds no endpoint that was deleted while a request to it was being signed', async () => {
  const { teamId } = await service.newTeam();
  const read = readEndpointKeys(service.em, { openIfPossible: () => expect.fail('There is no secret.') });
  await expect(read({ id: WebhookEndpointId.create(), teamId })).rejects.toMatchObject({
    code: 'webhook_endpoint_not_found',
  });
});

it('makes no more than twenty endpoints in a project, however many requests come at once', async () => {
  const team = await service.newTeam();
  for (let made = 0; made < 18; made += 1) await steps.newEndpoint(team, 'https://hooks.example/');
  const create = () => call(team, 'POST', '/webhook-endpoints', { url: 'https://192.88.98.1/' });
  const responses = await Promise.all([create(), create(), create(), create()]);
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 422, 422]);
  expect(responses.find(({ status }) => status === 422)?.body.error).toMatchObject({ code: 'quota_exceeded' });
});

it.each([
  ['http://hooks.example', 422, 'not_https'],
  ['https://10.0.0.1', 422, 'address_not_allowed'],
  ['https://me@hooks.example', 422, 'user_info'],
  ['nowhere', 400, undefined],
])('does not take %s', async (url, status, reason) => {
  const team = await service.newTeam();
  const created = await call(team, 'POST', '/webhook-endpoints', { url });
  expect(created.status).toBe(status);
  expect(created.body.error.details.reason).toBe(reason);
});

it('sends nothing while it is disabled, and what was missed, or not, once it is enabled', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const { webhookEndpoint } = (await call(team, 'POST', '/webhook-endpoints', { url: receiver.url })).body;
  const path = `/webhook-endpoints/${webhookEndpoint.id}`;
  const disabled = await call(team, 'PATCH', path, { enabled: false });
  expect(disabled.body.webhookEndpoint).toMatchObject({ status: 'disabled', disabledReason: 'manual' });
  const missed = await newEventOf(team);
  expect((await call(team, 'GET', path)).body.webhookEndpoint.lag).toMatchObject({ events: 1 });
  await call(team, 'PATCH', path, { enabled: true });
  await waitFor(() => receiver.received.length === 1, { what: 'the missed event' });
  expect(receiver.received[0]?.headers['webhook-id']).toBe(missed.id);
  await call(team, 'PATCH', path, { enabled: false });
  await newEventOf(team);
  await call(team, 'PATCH', path, { enabled: true, resumeFrom: 'now' });
  const later = await newEventOf(team);
  await waitFor(() => receiver.received.length === 2, { what: 'the later event' });
  expect(receiver.received[1]?.headers['webhook-id']).toBe(later.id);
});

it('signs with both secrets for a while after a rotation, and limits rotations', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const { webhookEndpoint, secret } = (await call(team, 'POST', '/webhook-endpoints', { url: receiver.url })).body;
  const path = `/webhook-endpoints/${webhookEndpoint.id}`;
  const rotate = (body = {}) => call(team, 'POST', `${path}/rotate-secret`, body);
  const rotated = await rotate();
  expect(rotated.body.webhookEndpoint.secrets).toHaveLength(2);
  await newEventOf(team);
  await waitFor(() => receiver.received.length === 1, { what: 'the event' });
  for (const one of [secret, rotated.body.secret]) expect(receiver.verified(one)).toHaveLength(1);
  await rotate();
  expect(await rotate()).toMatchObject({ status: 422, body: { error: { code: 'secret_rotation_limit' } } });
  // After a leak none of the older ones may sign.
  expect((await rotate({ overlapMs: 0 })).body.webhookEndpoint.secrets).toMatchObject([{ expiresAt: null }]);
});

it('sends a test and waits for the response, without a delivery', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver(() => 418);
  const { webhookEndpoint, secret } = (await call(team, 'POST', '/webhook-endpoints', { url: receiver.url })).body;
  const tested = await call(team, 'POST', `/webhook-endpoints/${webhookEndpoint.id}/test`, { type: 'invoice.paid' });
  expect(tested.body.attempt).toMatchObject({
    trigger: 'test',
    responseStatus: 418,
    address: '127.0.0.1',
    responseBody: null,
  });
  expect(receiver.verified(secret)).toMatchObject([{ type: 'invoice.paid', test: true, object: { type: 'invoice' } }]);
  expect((await call(team, 'GET', '/webhook-deliveries')).body.deliveries).toEqual([]);
});

it('allows ten tests of a project a minute', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const { webhookEndpoint } = (await call(team, 'POST', '/webhook-endpoints', { url: receiver.url })).body;
  const test = () => call(team, 'POST', `/webhook-endpoints/${webhookEndpoint.id}/test`, {});
  const statuses = (await Promise.all(Array.from({ length: 12 }, test))).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  expect(receiver.received).toHaveLength(10);
  await service.em
    .fork()
    .execute(`update endpoint_tests set times[1] = clock_timestamp() - interval '40 seconds' where project_id = ?`, [
      team.projectId,
    ]);
  // When the oldest of the ten is a minute old.
  expect(Number((await test()).headers['retry-after'])).toBeLessThanOrEqual(20);
});

it('masks the query of a URL in the audit log, where a change of it alone is one too', async () => {
  const team = await service.newTeam();
  const url = (token: string) => `https://hooks.example/a?token=${token}`;
  const { webhookEndpoint } = (await call(team, 'POST', '/webhook-endpoints', { url: url('one') })).body;
  const changed = await call(team, 'PATCH', `/webhook-endpoints/${webhookEndpoint.id}`, { url: url('two') });
  expect(changed.body.webhookEndpoint.updatedAt).not.toBe(webhookEndpoint.updatedAt);
  const entries = (await service.published(AuditRecorded)).filter(({ teamId }) => teamId === team.teamId);
  const masked = 'https://hooks.example/a?…';
  expect(entries.map(({ data }) => data.changes.find(({ field }) => field === 'url')).slice(-2)).toEqual([
    { field: 'url', from: null, to: masked },
    { field: 'url', from: masked, to: masked },
  ]);
});
