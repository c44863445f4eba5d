import { createServer } from 'node:net';
import { TeamId } from '@billing/contracts/ids';
import { ENDPOINT_EVENT_TYPES } from '@billing/contracts/processor-events';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { unseal } from '@billing/processor/credentials';
import { API_VERSION } from '@billing/processor/stripe-client';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectProcessor } from '#operations/connect-processor.ts';
import { newCredentials, PUBLIC_URL, startService, type Service } from './service.ts';

const lines: string[] = [];
let service: Service;

beforeAll(async () => {
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  service = await startService({ logger });
});
afterAll(() => service[Symbol.asyncDispose]());

it('tells where the processor shall post, and how to set that up', async () => {
  const teamId = TeamId.create();
  const url = `/api/service/teams/${teamId}/processor/webhook-url`;
  const response = await service.app.inject({ method: 'GET', url, headers: service.identity.asUser({ teamId }) });
  const { webhookUrl, instructions } = response.json();
  expect(webhookUrl).toBe(`${PUBLIC_URL}/api/webhooks/processor/${teamId}`);
  for (const said of [webhookUrl, API_VERSION, ...ENDPOINT_EVENT_TYPES]) expect(instructions).toContain(said);
  expect(ENDPOINT_EVENT_TYPES).toHaveLength(17);
});

it('connects with credentials that the processor accepts, and shows none of the secrets', async () => {
  const teamId = TeamId.create();
  const credentials = newCredentials();
  const response = await service.connect(teamId, credentials);
  expect(response.statusCode).toBe(200);
  expect(response.json().processor).toEqual({
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
  const { rows } = await service.admin.query(`
    select (select json_agg(a) from webhooks.processor_accounts a)::text
        || (select json_agg(s) from webhooks.signing_secrets s)::text
        || (select json_agg(o) from webhooks.outbox_events o)::text as everything`);
  for (const secret of [credentials.secretKey, credentials.webhookSecret])
    for (const place of [response.body, rows[0].everything, lines.join('')]) expect(place).not.toContain(secret);
});

it('gives the sealed key to whoever asks, in a version that grows with each change', async () => {
  const team = await service.newTeam();
  const { teamId } = team;
  const ask = () => service.rpc.call(FindProcessorCredentials, { teamId });
  const first = await ask();
  const open = (sealed: string) => unseal(service.credentialsKey, { teamId, kind: 'secret-key' }, sealed);
  expect(first).toMatchObject({ version: 1, livemode: false });
  expect(open(first?.sealedSecretKey ?? '')).toBe(team.secretKey);

  const changed = newCredentials();
  const { connectedAt, updatedAt } = (await service.connect(teamId, changed)).json().processor;
  expect(Date.parse(updatedAt)).toBeGreaterThan(Date.parse(connectedAt));
  const second = await ask();
  expect(second?.version).toBe(2);
  expect(open(second?.sealedSecretKey ?? '')).toBe(changed.secretKey);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: TeamId.create() })).toBeNull();
});

it('tells the bus that an account changed, without a secret', async () => {
  const told: string[] = [];
  const subscription = service.bus.nats.subscribe(`${service.bus.root}.processor-account.changed.v1`, {
    callback: (_err, message) => void told.push(message.string()),
  });
  const team = await service.newTeam();
  const fact = await waitFor(() => told.find(text => text.includes(team.teamId)), { what: 'the fact' });
  subscription.unsubscribe();
  expect(JSON.parse(fact).data).toEqual({ version: 1, accountId: expect.stringMatching(/^acct_/), livemode: false });
});

it.each([
  ['a live secret with a test publishable key', { secretKey: 'sk_live_abc' }, 'processor_credentials_invalid'],
  ['a test secret with a live publishable key', { publishableKey: 'pk_live_abc' }, 'processor_credentials_invalid'],
  ['a restricted live key with a test publishable key', { secretKey: 'rk_live_abc' }, 'processor_credentials_invalid'],
  ['a publishable key in place of the secret', { secretKey: 'pk_test_abc' }, 'validation_error'],
  ['a secret of another kind', { webhookSecret: 'sk_test_abc' }, 'validation_error'],
  ['a key with a space inside', { secretKey: 'sk_test_a b' }, 'validation_error'],
  ['an unknown field', { accountId: 'acct_1' }, 'validation_error'],
])('refuses %s and keeps nothing', async (_what, wrong, code) => {
  const teamId = TeamId.create();
  const response = await service.connect(teamId, { ...newCredentials(), ...wrong });
  expect([response.statusCode, response.json().error.code]).toEqual([400, code]);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId })).toBeNull();
});

it('refuses a key that the processor refuses, and goes on with the one it has', async () => {
  const team = await service.newTeam();
  const refused = { ...newCredentials(), secretKey: 'sk_test_invalid0123456789' };
  const response = await service.connect(team.teamId, refused);
  expect([response.statusCode, response.json().error.code]).toEqual([400, 'processor_credentials_invalid']);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: team.teamId })).toMatchObject({ version: 1 });
});

it('answers 503 while the processor cannot be reached', async () => {
  const closed = createServer();
  await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as { port: number }; // a server on TCP has a port
  await new Promise(resolve => closed.close(resolve));
  const connect = connectProcessor({
    em: service.database.em,
    credentialsKey: service.credentialsKey,
    processorBaseUrl: `http://127.0.0.1:${port}`,
    publicUrl: PUBLIC_URL,
  });
  await expect(connect(TeamId.create(), newCredentials())).rejects.toMatchObject({ kind: 'unavailable', status: 503 });
});

it.each([
  ['500', 502, 'processor_error'],
  ['502html', 502, 'processor_error'],
  ['429', 503, 'unavailable'],
  ['dropped', 503, 'unavailable'],
] as const)('calls no key wrong while the processor answers %s, and keeps nothing', async (mode, status, code) => {
  const team = await service.newTeam();
  const control = service.controlOf(team);
  await control.fail({ mode, method: 'GET', path: '/v1/account', times: 100 });
  const { secretKey } = team;
  const response = await service.connect(team.teamId, { ...newCredentials(), secretKey });
  await control.clearFaults();
  expect([response.statusCode, response.json().error.code]).toEqual([status, code]);
  expect(await service.rpc.call(FindProcessorCredentials, { teamId: team.teamId })).toMatchObject({ version: 1 });
});

it('is for the owners of the team', async () => {
  const teamId = TeamId.create();
  const stranger = service.identity.asUser({ teamId: TeamId.create() });
  expect((await service.connect(teamId, newCredentials(), stranger)).statusCode).toBe(403);
  expect((await service.connect(teamId, newCredentials(), service.identity.anonymous())).statusCode).toBe(403);
});

it('keeps one account and every secret when the same team connects several times at once', async () => {
  const teamId = TeamId.create();
  const answers = await Promise.all(Array.from({ length: 6 }, () => service.connect(teamId, newCredentials())));
  expect(answers.map(answer => answer.statusCode)).toEqual(Array(6).fill(200));
  expect(await service.rpc.call(FindProcessorCredentials, { teamId })).toMatchObject({ version: 6 });
  const { rows } = await service.admin.query(
    `select count(*)::int as all, count(*) filter (where valid_until is null)::int as current
       from webhooks.signing_secrets where team_id = $1`,
    [teamId],
  );
  expect(rows[0]).toEqual({ all: 6, current: 1 });
});
