import { createServer } from 'node:net';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { TeamId } from '@billing/contracts/ids';
import { ENDPOINT_EVENT_TYPES, OPTIONAL_EVENT_TYPES } from '@billing/contracts/processor-events';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { unseal } from '@billing/processor/credentials';
import { keyRingOf } from '@billing/processor/key-ring';
import { API_VERSION } from '@billing/processor/stripe-client';
import { auditOf } from '@billing/service/audit';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectProcessor } from '../src/accounts/connect-processor.ts';
import { openSealedSecrets } from '../src/accounts/sealed-secrets.ts';
import { newCredentials, PUBLIC_URL, startWebhooks, type WebhooksService } from './start-webhooks.ts';

const lines: string[] = [];
let service: WebhooksService;

beforeAll(async () => {
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  service = await startWebhooks({ logger });
});
afterAll(() => service[Symbol.asyncDispose]());

it('describes the webhook URL and how to set it up at Stripe', async () => {
  const teamId = TeamId.create();
  const url = `/api/service/teams/${teamId}/processor/webhook-url`;
  const { body } = await service.call('GET', url, { as: service.identity.asUser({ teamId }) });
  const { webhookUrl, instructions } = body;
  expect(webhookUrl).toBe(`${PUBLIC_URL}/api/webhooks/processor/${teamId}`);
  for (const part of [webhookUrl, API_VERSION, ...ENDPOINT_EVENT_TYPES]) expect(instructions).toContain(part);
  expect(ENDPOINT_EVENT_TYPES).toHaveLength(17);
  const [, optional] = instructions.split('Optional');
  for (const type of OPTIONAL_EVENT_TYPES) expect(optional).toContain(type);
});

it('S25: connects with credentials that Stripe accepts, and shows none of the secrets', async () => {
  const teamId = TeamId.create();
  const credentials = newCredentials();
  const response = await service.connect(teamId, credentials);
  expect(response.status).toBe(200);
  expect(response.body.processor).toEqual({
    connected: true,
    accountId: expect.stringMatching(/^acct_/),
    livemode: false,
    publishableKey: credentials.publishableKey,
    secretKeyLast4: credentials.secretKey.slice(-4),
    webhookUrl: `${PUBLIC_URL}/api/webhooks/processor/${teamId}`,
    apiVersion: API_VERSION,
    connectedAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const [stored] = await service.sql(`
    select (select json_agg(a) from processor_accounts a)::text
        || (select json_agg(s) from signing_secrets s)::text
        || (select json_agg(o) from outbox_messages o)::text as everything`);
  for (const secret of [credentials.secretKey, credentials.webhookSecret])
    for (const place of [response.text, stored?.['everything'], lines.join('')]) expect(place).not.toContain(secret);
});

it('returns the sealed key to other services, in a version that grows with each change', async () => {
  const team = await service.newTeam();
  const { teamId } = team;
  const serviceKey = service.account?.serviceKey ?? Buffer.alloc(0);
  const find = () => service.rpc.call(FindProcessorCredentials, { teamId, service: 'catalog' });
  const first = await find();
  const open = (sealed: string) => unseal(keyRingOf(serviceKey), { teamId, kind: 'secret-key-for-catalog' }, sealed);
  expect(first).toMatchObject({ version: 1, livemode: false });
  expect(open(first?.sealedSecretKey ?? '')).toBe(team.secretKey);

  const changed = newCredentials();
  const { connectedAt, updatedAt } = (await service.connect(teamId, changed)).body.processor;
  expect(Date.parse(updatedAt)).toBeGreaterThan(Date.parse(connectedAt));
  const second = await find();
  expect(second?.version).toBe(2);
  expect(open(second?.sealedSecretKey ?? '')).toBe(changed.secretKey);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: TeamId.create(), service: 'catalog' })).toBeNull();
});

it('publishes that an account changed, without a secret', async () => {
  const { teamId } = await service.newTeam();
  const found = () =>
    service.received.find(event => event.type === ProcessorAccountChanged.name && event.teamId === teamId);
  const { data } = await waitFor(found, { what: 'the event' });
  expect(data).toEqual({ version: 1, accountId: expect.stringMatching(/^acct_/), livemode: false });
});

it.each([
  ['a live secret with a test publishable key', { secretKey: 'sk_live_abc' }, 'processor_credentials_invalid'],
  ['a test secret with a live publishable key', { publishableKey: 'pk_live_abc' }, 'processor_credentials_invalid'],
  ['a restricted live key with a test publishable key', { secretKey: 'rk_live_abc' }, 'processor_credentials_invalid'],
  ['a publishable key in place of the secret', { secretKey: 'pk_test_abc' }, 'validation_error'],
  ['a secret of another kind', { webhookSecret: 'sk_test_abc' }, 'validation_error'],
  ['a secret that is only a prefix', { webhookSecret: 'whsec_' }, 'validation_error'],
  ['a secret that anyone can guess', { webhookSecret: 'whsec_12345' }, 'validation_error'],
  ['a further secret that is only a prefix', { additionalWebhookSecrets: ['whsec_ '] }, 'validation_error'],
  ['a secret key that is only a prefix', { secretKey: 'sk_test_' }, 'validation_error'],
  ['a publishable key that is only a prefix', { publishableKey: 'pk_test_' }, 'validation_error'],
  ['a key with a space inside', { secretKey: 'sk_test_a b' }, 'validation_error'],
  ['an unknown field', { accountId: 'acct_1' }, 'validation_error'],
])('refuses %s and stores nothing', async (_what, wrong, code) => {
  const teamId = TeamId.create();
  const response = await service.connect(teamId, { ...newCredentials(), ...wrong });
  expect([response.status, response.body.error.code]).toEqual([400, code]);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId, service: 'catalog' })).toBeNull();
});

it('refuses a key that Stripe refuses, and continues with the current one', async () => {
  const team = await service.newTeam();
  const refused = { ...newCredentials(), secretKey: 'sk_test_invalid0123456789' };
  const response = await service.connect(team.teamId, refused);
  expect([response.status, response.body.error.code]).toEqual([400, 'processor_credentials_invalid']);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: team.teamId, service: 'catalog' })).toMatchObject({
    version: 1,
  });
});

it('names the permission without which a restricted key does not tell its account', async () => {
  const { secretKey: full } = newCredentials();
  const secretKey = full.replace('sk_', 'rk_');
  await service.controlOf({ secretKey: full }).restrictKey(secretKey, ['rak_accounts_kyc_basic_read']);
  const { status, body } = await service.connect(TeamId.create(), { secretKey });
  expect([status, body.error.code]).toEqual([400, 'processor_credentials_invalid']);
  expect(body.error.message).toContain('rak_accounts_kyc_basic_read');
});

it('returns 503 while Stripe cannot be reached', async () => {
  const closed = createServer();
  await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as { port: number }; // a server on TCP has a port
  await new Promise(resolve => closed.close(resolve));
  const connect = connectProcessor({
    outbox: service.outbox,
    rpc: service.rpc,
    sealed: openSealedSecrets({ keyRing: () => keyRingOf(service.credentialsKey), logger: service.logger }),
    processorBaseUrl: `http://127.0.0.1:${port}`,
    publicUrl: PUBLIC_URL,
    logger: service.logger,
  });
  const credentials = { ...newCredentials(), additionalWebhookSecrets: [] };
  const context = auditOf(
    { principal: { kind: 'anonymous' }, caller: null, id: 'a-request' },
    { id: 'connectProcessor' },
  );
  await expect(connect(TeamId.create(), credentials, context)).rejects.toMatchObject({
    kind: 'unavailable',
    status: 503,
  });
});

it.each([
  ['500', 502, 'processor_error'],
  ['502html', 502, 'processor_error'],
  ['429', 503, 'unavailable'],
  ['dropped', 503, 'unavailable'],
] as const)('does not call a key invalid when Stripe fails with %s, and stores nothing', async (mode, status, code) => {
  const team = await service.newTeam();
  const control = service.controlOf(team);
  await control.fail({ mode, method: 'GET', path: '/v1/account', times: 100 });
  const { secretKey } = team;
  const response = await service.connect(team.teamId, { ...newCredentials(), secretKey });
  await control.clearFaults();
  expect([response.status, response.body.error.code]).toEqual([status, code]);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: team.teamId, service: 'catalog' })).toMatchObject({
    version: 1,
  });
});

it('can be connected by owners of the team only', async () => {
  const teamId = TeamId.create();
  const stranger = service.identity.asUser({ teamId: TeamId.create() });
  expect((await service.connect(teamId, newCredentials(), stranger)).status).toBe(403);
  expect((await service.connect(teamId, newCredentials(), service.identity.anonymous())).status).toBe(403);
});

it('saves one account and every secret when a team connects several times at once', async () => {
  const teamId = TeamId.create();
  const responses = await Promise.all(Array.from({ length: 6 }, () => service.connect(teamId, newCredentials())));
  expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(await service.rpc.call(FindProcessorCredentials, { teamId, service: 'catalog' })).toMatchObject({
    version: 6,
  });
  const secrets = await service.sql('select valid_until from signing_secrets where team_id = ?', [teamId]);
  expect(secrets).toHaveLength(6);
  expect(secrets.filter(({ valid_until: until }) => until === null)).toHaveLength(1);
});
