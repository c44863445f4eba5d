import { TeamId } from '@billing/contracts/ids';
import { newWebhookEvent, signatureOf } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseRows } from './refuse-rows.ts';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const NOW = Math.floor(Date.now() / 1_000);
const now = () => new Date(NOW * 1_000);
let service: WebhooksService;
let team: Team;

beforeAll(async () => {
  service = await startWebhooks({ run: false, now });
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

const countEvents = async () => (await service.list(team)).pagination.total;

describe('the signature', () => {
  const body = () => JSON.stringify(customerUpdated());

  it.each([
    [-301, 400],
    [-300, 200],
    [-299, 200],
    [0, 200],
    [299, 200],
    [300, 200],
    [301, 400],
  ])('made %i s from now returns %i', async (offset, status) => {
    const bytes = body();
    expect(
      (await service.post(team.teamId, bytes, signatureOf(bytes, team.webhookSecret, { at: NOW + offset }))).status,
    ).toBe(status);
  });

  it('is checked over the raw bytes, whatever the content type', async () => {
    const bytes = `  ${body()}\n`;
    const signature = signatureOf(bytes, team.webhookSecret, { at: NOW });
    const response = await service.post(team.teamId, bytes, signature, { contentType: 'text/plain' });
    expect(response.body).toEqual({ received: true });
  });

  it('may be one of several, as long as one fits', async () => {
    const bytes = body();
    const [, right] = signatureOf(bytes, team.webhookSecret, { at: NOW }).split(',');
    const [, wrong] = signatureOf(bytes, 'whsec_other', { at: NOW }).split(',');
    const header = `t=${NOW},${wrong},v0=abc,${right},v1=short`;
    expect((await service.post(team.teamId, bytes, header)).status).toBe(200);
  });

  it('S24, S29: returns the same error whatever is wrong with it, and stores nothing', async () => {
    const other = await service.newTeam();
    const unknown = { teamId: 'team_00000000000000000000000x' };
    const unconnected = { teamId: TeamId.create() };
    service.newProject(unconnected.teamId);
    const bytes = body();
    const right = signatureOf(bytes, team.webhookSecret, { at: NOW });
    const before = await countEvents();
    const responses = await Promise.all([
      service.post(team.teamId, bytes, undefined),
      service.post(team.teamId, bytes, ''),
      service.post(team.teamId, bytes, 'nonsense'),
      service.post(team.teamId, bytes, right.slice(0, -2)),
      service.post(team.teamId, bytes, right.replace(/t=\d+/, `t=${NOW - 1}`)),
      service.post(team.teamId, bytes, right.replace(/t=\d+/, 't=1e9')),
      service.post(team.teamId, `${bytes} `, right),
      service.post(team.teamId, 'no json', right),
      service.post(team.teamId, bytes, signatureOf(bytes, team.webhookSecret, { at: NOW, scheme: 'v0' })),
      service.post(team.teamId, bytes, signatureOf(bytes, other.webhookSecret, { at: NOW })),
      service.post(team.teamId, bytes, signatureOf(bytes, '', { at: NOW })),
      service.post(other.teamId, bytes, right),
      service.post(unknown.teamId, bytes, right),
      service.post(unconnected.teamId, bytes, right),
      service.post(unconnected.teamId, bytes, signatureOf(bytes, '', { at: NOW })),
      service.post(team.teamId, bytes, right.replace('v1=', 'v1=00')),
      service.post(team.teamId, bytes, right.replace(/^t=\d+,/, '')),
      service.post(team.teamId, bytes, `t=${NOW}`),
      service.post('not-a-team', bytes, right),
      service.post('%00', bytes, right),
    ]);
    const errors = responses.map(({ status, body: { error } }) => ({ ...error, status, requestId: '' }));
    for (const error of errors) expect(error).toEqual(errors[0]);
    expect(errors[0]).toMatchObject({ status: 400, code: 'invalid_signature' });
    expect(await countEvents()).toBe(before);
  });
});

describe('a signed body', () => {
  const post = (bytes: string | Buffer) =>
    service.post(team.teamId, bytes, signatureOf(bytes, team.webhookSecret, { at: NOW }));
  const valid = customerUpdated();

  it('of more than 1 MiB is refused', async () => {
    const bytes = JSON.stringify({ ...valid, padding: 'x'.repeat(1_048_576) });
    const response = await post(bytes);
    expect([response.status, response.body.error.code]).toEqual([413, 'payload_too_large']);
  });

  it('of a type that no service handles is stored as ignored', async () => {
    const event = newWebhookEvent('payment_method.attached', { id: 'pm_1', object: 'payment_method' });
    expect((await service.send(team, event)).body).toEqual({ received: true });
    expect(await service.recordOf(team, event.id)).toMatchObject({
      status: 'ignored',
      objectId: 'pm_1',
      projectId: null,
    });
  });
});

it('marks a repeated event as a duplicate at either URL', async () => {
  const event = customerUpdated();
  expect((await service.send(team, event)).body).toEqual({ received: true });
  expect((await service.send(team, event)).body).toEqual({ received: true, duplicate: true });
  expect((await service.send(team, event, { path: 'stripe' })).body).toEqual({ received: true, duplicate: true });
});

it('separates events of two teams that have the same id', async () => {
  const other = await service.newTeam();
  const event = customerUpdated();
  expect((await service.send(team, event)).body).toEqual({ received: true });
  expect((await service.send(other, event)).body).toEqual({ received: true });
});

it('stores each event once from two copies and both URLs at the same time', async () => {
  const second = await service.startCopy({ run: false, now });
  const events = Array.from({ length: 60 }, () => customerUpdated());
  const responses = await Promise.all(
    events.flatMap((event, index) => [
      service.send(team, event),
      service.send(team, event, { to: second, path: 'stripe' }),
      service.send(team, event, { to: index % 2 ? second : service }),
    ]),
  );
  expect(responses.map(response => response.status).every(status => status === 200)).toBe(true);
  expect(responses.filter(response => !response.body.duplicate)).toHaveLength(60);
});

it('stores events that arrive at the same time in few statements', async () => {
  await service.sql('create table statements (at timestamptz)');
  await service.sql(
    `create function count_statement() returns trigger language plpgsql as
       $$ begin insert into statements values (now()); return null; end $$`,
  );
  await service.sql(
    `create trigger count_statement after insert on webhook_events for each statement execute function count_statement()`,
  );
  const sending = Array.from({ length: 50 }, () => service.send(team, customerUpdated()));
  expect((await Promise.all(sending)).map(({ status }) => status)).toEqual(Array(50).fill(200));
  const statements = await service.sql('select 1 from statements');
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.length).toBeLessThan(25);
  await service.sql('drop function count_statement cascade');
});

it('stores the other events of a batch when the database refuses one', async () => {
  await using resources = new AsyncDisposableStack();
  resources.use(await refuseRows(service, 'insert', `new.object_id = 'cus_poison'`));
  const events = Array.from({ length: 21 }, (_, index) =>
    customerUpdated(undefined, index === 10 ? { id: 'cus_poison' } : {}),
  );
  const statuses = await Promise.all(events.map(async event => (await service.send(team, event)).status));
  expect(statuses).toEqual([...Array<number>(10).fill(200), 500, ...Array<number>(10).fill(200)]);
});

it('accepts a replaced signing secret for 24 hours on every copy, and the new one at once', async () => {
  const second = await service.startCopy({ run: false, now });
  const rotating = await service.newTeam();
  const signers = [rotating];
  for (let turn = 0; turn < 3; turn += 1) {
    const { webhookSecret } = newCredentials();
    await service.connect(rotating.teamId, { ...newCredentials(), secretKey: rotating.secretKey, webhookSecret });
    signers.push({ ...rotating, webhookSecret });
    for (const to of [service, second])
      for (const signedBy of signers)
        expect((await service.send(signedBy, customerUpdated(), { to })).status).toBe(200);
  }
  await service.sql('update signing_secrets set valid_until = now() where team_id = ? and valid_until is not null', [
    rotating.teamId,
  ]);
  const third = await service.startCopy({ run: false, now });
  const statuses = await Promise.all(
    signers.map(async by => (await service.send(by, customerUpdated(), { to: third })).status),
  );
  expect(statuses).toEqual([400, 400, 400, 200]);
});
