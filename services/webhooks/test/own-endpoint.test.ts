import {
  OPTIONAL_EVENT_TYPES,
  ENDPOINT_EVENT_TYPES,
  PROCESSOR_EVENT_OWNERS,
} from '@billing/contracts/processor-events';
import { TeamId } from '@billing/contracts/ids';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { Stripe } from 'stripe';
import { waitFor } from '@billing/testing/wait-for';
import { signatureOf } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startForwardingGateway } from './forwarding-gateway.ts';
import { newCredentials, PUBLIC_URL, startWebhooks, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false });
});
afterAll(() => service[Symbol.asyncDispose]());

const urlOf = (teamId: TeamId) => `${PUBLIC_URL}/api/webhooks/processor/${teamId}`;
const endpointsOf = async (secretKey: string): Promise<Stripe.WebhookEndpoint[]> =>
  (await service.stripeOf({ secretKey }).webhookEndpoints.list({ limit: 100 })).data;
/** Whether an event signed with the secret is accepted. */
const isAccepted = async (teamId: TeamId, secret: string): Promise<boolean> => {
  const body = JSON.stringify(customerUpdated());
  return (await service.post(teamId, body, signatureOf(body, secret))).status === 200;
};

it('makes the endpoint with the secret key alone', async () => {
  const teamId = TeamId.create();
  const { secretKey } = newCredentials();
  const { status, body } = await service.connect(teamId, { secretKey });
  expect([status, body.processor]).toMatchObject([200, { connected: true, publishableKey: null }]);
  const [endpoint, ...others] = await endpointsOf(secretKey);
  expect(others).toEqual([]);
  expect(endpoint).toMatchObject({
    url: urlOf(teamId),
    api_version: API_VERSION,
    metadata: { teamId },
    status: 'enabled',
  });
  const types = endpoint?.enabled_events ?? [];
  expect(types.toSorted()).toEqual(Object.keys(PROCESSOR_EVENT_OWNERS).toSorted());
  expect(types).toEqual(expect.arrayContaining([...ENDPOINT_EVENT_TYPES, ...OPTIONAL_EVENT_TYPES]));
});

it('receives what Stripe sends to the endpoint that it made', async () => {
  await using resources = new AsyncDisposableStack();
  const gateway = resources.adopt(await startForwardingGateway(service), running => running.close());
  const copy = await service.startCopy({ env: { PUBLIC_URL: gateway.url }, run: false });
  const teamId = TeamId.create();
  const projectId = service.newProject(teamId);
  const { secretKey } = newCredentials();
  const as = service.identity.asUser({ teamId });
  await copy.call('POST', `/api/service/teams/${teamId}/processor/connect`, { body: { secretKey }, as });
  await service.stripeOf({ secretKey }).customers.create({ email: 'ada@example.com', metadata: { projectId } });
  const [event] = await waitFor(
    async () => {
      const { webhookEvents } = await service.list({ teamId, projectId });
      return webhookEvents.length > 0 ? webhookEvents : undefined;
    },
    { what: 'the event to arrive' },
  );
  expect(event).toMatchObject({ type: 'customer.created', apiVersion: API_VERSION });
});

it('replaces only the endpoint that it made, and accepts the old secret for a day', async () => {
  const teamId = TeamId.create();
  const { secretKey } = newCredentials();
  const stripe = service.stripeOf({ secretKey });
  // One at the same address, and one that this service made for another team.
  const byHand = await stripe.webhookEndpoints.create({ url: urlOf(teamId), enabled_events: ['*'] });
  const other = await stripe.webhookEndpoints.create({
    url: 'https://other.example',
    enabled_events: ['*'],
    metadata: { teamId: TeamId.create() },
  });
  await service.connect(teamId, { secretKey });
  const [first] = (await endpointsOf(secretKey)).filter(({ metadata }) => metadata['teamId'] === teamId);
  await service.connect(teamId, { secretKey });
  const left = await endpointsOf(secretKey);
  expect(left).toHaveLength(3);
  expect(left.map(({ id }) => id)).toEqual(expect.arrayContaining([byHand.id, other.id]));
  expect(left.map(({ id }) => id)).not.toContain(first?.id);
  const secrets = await service.sql(`select valid_until from signing_secrets where team_id = ?`, [teamId]);
  expect(secrets.filter(({ valid_until: until }) => until === null)).toHaveLength(1);
  expect(secrets).toHaveLength(2);
});

it('replaces an endpoint that a crash left behind', async () => {
  const teamId = TeamId.create();
  const { secretKey } = newCredentials();
  // As if the process had died before it saved the secret.
  const left = await service.stripeOf({ secretKey }).webhookEndpoints.create({
    url: urlOf(teamId),
    enabled_events: ['*'],
    metadata: { teamId },
  });
  await service.connect(teamId, { secretKey });
  const endpoints = await endpointsOf(secretKey);
  expect(endpoints).toHaveLength(1);
  expect(endpoints[0]?.id).not.toBe(left.id);
});

it('leaves one endpoint, whose secret it has, when a team connects several times at once', async () => {
  const teamId = TeamId.create();
  const { secretKey } = newCredentials();
  const copy = await service.startCopy();
  const as = service.identity.asUser({ teamId });
  const path = `/api/service/teams/${teamId}/processor/connect`;
  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      (index % 2 === 0 ? service : copy).call('POST', path, { body: { secretKey }, as }),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
  const [endpoint, ...others] = await endpointsOf(secretKey);
  expect(others).toEqual([]);
  const [account] = await service.sql(`select webhook_endpoint_id as id from processor_accounts where team_id = ?`, [
    teamId,
  ]);
  expect(account).toEqual({ id: endpoint?.id });
});

it('keeps nothing when the key may not make an endpoint, and names the permission', async () => {
  const [team, { secretKey: full }] = [await service.newTeam(), newCredentials()];
  const restricted = full.replace('sk_', 'rk_');
  await service.controlOf({ secretKey: full }).restrictKey(restricted, ['rak_webhook_write']);
  const { status, body } = await service.connect(team.teamId, { secretKey: restricted });
  expect([status, body.error.code]).toEqual([422, 'webhook_endpoint_not_permitted']);
  expect(body.error.message).toContain('rak_webhook_write');
  expect(body.error.details).toEqual({ permission: 'rak_webhook_write' });
  expect(await endpointsOf(full)).toEqual([]);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: team.teamId, service: 'catalog' })).toMatchObject({
    version: 1,
  });
  expect(await isAccepted(team.teamId, team.webhookSecret)).toBe(true);

  const { teamId } = await service.newTeam();
  const given = await service.connect(teamId, { secretKey: restricted, webhookSecret: 'whsec_by_hand' });
  expect(given.status).toBe(200);
});

it('stores nothing while Stripe makes no endpoint', async () => {
  const teamId = TeamId.create();
  const { secretKey } = newCredentials();
  const control = service.controlOf({ secretKey });
  await control.fail({ mode: '429', method: 'POST', path: '/v1/webhook_endpoints', times: 100 });
  expect((await service.connect(teamId, { secretKey })).status).toBe(503);
  await control.clearFaults();
  expect(await service.rpc.call(FindProcessorCredentials, { teamId, service: 'catalog' })).toBeNull();
  expect((await service.connect(teamId, { secretKey })).status).toBe(200);
  expect(await endpointsOf(secretKey)).toHaveLength(1);
});

it('deletes its endpoint when a secret of another one is given, and connects even if that fails', async () => {
  const teamId = TeamId.create();
  const credentials = newCredentials();
  const { secretKey } = credentials;
  await service.connect(teamId, { secretKey });
  expect((await service.connect(teamId, credentials)).status).toBe(200);
  expect(await endpointsOf(secretKey)).toEqual([]);

  await service.connect(teamId, { secretKey });
  const control = service.controlOf({ secretKey });
  await control.fail({ mode: '500', method: 'DELETE', path: '/v1/webhook_endpoints', times: 10 });
  expect((await service.connect(teamId, credentials)).status).toBe(200);
  await control.clearFaults();
  // The next connection finds what was left.
  await service.connect(teamId, { secretKey });
  expect(await endpointsOf(secretKey)).toHaveLength(1);
});

it('accepts additional secrets as long as they are listed', async () => {
  const teamId = TeamId.create();
  const credentials = newCredentials();
  const [a, b] = ['whsec_of_the_first', 'whsec_of_the_second'];
  const connect = (more: object) => service.connect(teamId, { ...credentials, ...more });
  const accepted = async () => {
    const results = [];
    for (const secret of [credentials.webhookSecret, a, b]) results.push(await isAccepted(teamId, secret));
    return results;
  };
  expect((await connect({ additionalWebhookSecrets: [a, b, a] })).status).toBe(200);
  expect(await accepted()).toEqual([true, true, true]);
  await connect({ additionalWebhookSecrets: [b] });
  expect(await accepted()).toEqual([true, false, true]);
  // An additional one becomes the current one, and the current one an additional one.
  await connect({ webhookSecret: b, additionalWebhookSecrets: [credentials.webhookSecret] });
  expect(await accepted()).toEqual([true, false, true]);
  await connect({ webhookSecret: b });
  expect(await accepted()).toEqual([false, false, true]);
  await connect({ webhookSecret: a });
  expect(await accepted()).toEqual([false, true, true]);
  await service.sql(`update signing_secrets set valid_until = now() where valid_until is not null`);
  await connect({ webhookSecret: a });
  expect(await accepted()).toEqual([false, true, false]);

  const tooMany = await connect({ additionalWebhookSecrets: Array.from({ length: 5 }, (_, n) => `whsec_${n}`) });
  expect([tooMany.status, tooMany.body.error.code]).toEqual([400, 'validation_error']);
});
