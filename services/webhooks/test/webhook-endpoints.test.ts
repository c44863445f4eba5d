import { AuditRecorded } from '@billing/contracts/events/audit';
import { ResourceChanged } from '@billing/contracts/events/resources';
import { CustomerId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outgoingSteps } from './outgoing-steps.ts';
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

const call = (
  team: Team,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  headers?: Record<string, string>,
) =>
  service.call(method, path, {
    of: team,
    as: service.identity.asUser(team),
    ...(body && { body }),
    ...(headers && { headers }),
  });

/** Has a change of a customer published, and returns its event once it is recorded. */
async function newEventOf(team: Team, at = new Date()) {
  const id = CustomerId.create();
  await service.emit(
    newEvent(ResourceChanged, team.teamId, {
      projectId: team.projectId,
      type: 'customer.created',
      object: { type: 'customer', id, sequence: 1 },
      at,
      cause: { type: 'api', requestId: null, processorEventId: null },
      data: { id },
      previousAttributes: null,
    }),
  );
  return (await call(team, 'GET', `/events?objectId=${id}`)).body.events[0];
}

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

it('makes no more than twenty endpoints in a project, however many requests come at once', async () => {
  const team = await service.newTeam();
  const steps = outgoingSteps(service);
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

it('lists deliveries with their attempts, retries one, and sends one event to any endpoint', async () => {
  const team = await service.newTeam();
  let status = 404;
  await using receiver = await startReceiver(() => status);
  const { webhookEndpoint } = (await call(team, 'POST', '/webhook-endpoints', { url: receiver.url })).body;
  const event = await newEventOf(team);
  const list = async () =>
    (await call(team, 'GET', `/webhook-deliveries?endpointId=${webhookEndpoint.id}`)).body.deliveries;
  await waitFor(async () => (await list())[0]?.attempts === 1, { what: 'the first attempt' });
  const [delivery] = await list();
  expect(delivery).toMatchObject({ eventId: event.id, status: 'pending', nextAttemptAt: expect.any(String) });
  status = 200;
  expect((await call(team, 'POST', `/webhook-deliveries/${delivery.id}/retry`)).status).toBe(202);
  await waitFor(async () => (await list())[0]?.status === 'succeeded', { what: 'the retry' });
  const described = await call(team, 'GET', `/webhook-deliveries/${delivery.id}`);
  expect(described.body.event).toEqual(event);
  expect(described.body.attempts).toMatchObject([
    { number: 1, trigger: 'automatic', responseStatus: 404 },
    { number: 2, trigger: 'manual', responseStatus: 200 },
  ]);
  await call(team, 'PATCH', `/webhook-endpoints/${webhookEndpoint.id}`, { eventTypes: ['invoice.*'] });
  const other = await newEventOf(team);
  const sent = await call(team, 'POST', `/webhook-endpoints/${webhookEndpoint.id}/send`, { eventId: other.id });
  expect(sent.status).toBe(202);
  await waitFor(async () => (await list()).every((one: { status: string }) => one.status === 'succeeded'), {
    what: 'the event',
  });
  expect(receiver.received.filter(({ headers }) => headers['webhook-id'] === other.id)).toHaveLength(1);
  await call(team, 'DELETE', `/webhook-endpoints/${webhookEndpoint.id}`);
  expect((await call(team, 'GET', `/webhook-deliveries/${delivery.id}`)).status).toBe(404);
});

it('queues a long recovery in parts, one of an endpoint at a time', async () => {
  const team = await service.newTeam();
  await newEventOf(team);
  const { webhookEndpoint } = (await call(team, 'POST', '/webhook-endpoints', { url: 'https://192.88.98.1/' })).body;
  const path = `/webhook-endpoints/${webhookEndpoint.id}`;
  await call(team, 'PATCH', path, { enabled: false });
  await service.sql(
    `insert into events select (json_populate_record(e, json_build_object('position', n, 'id', 'ev_' || n || e.id))).*
       from events e cross join generate_series(2, 2100) n where e.project_id = ?`,
    [team.projectId],
  );
  await service.sql('update webhook_endpoints set position = 2100 where id = ?', [webhookEndpoint.id]);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const recover = () => call(team, 'POST', `${path}/recover`, { since, only: 'all' });
  expect(await recover()).toMatchObject({
    status: 202,
    body: { recovery: { status: 'running', matched: 2_100, queued: 2_000 } },
  });
  expect(await recover()).toMatchObject({ status: 409, body: { error: { code: 'recovery_running' } } });
});

it('finds a delivery by any filter, however many others came after it', async () => {
  const team = await service.newTeam();
  const endpoints = [];
  for (const path of ['one', 'other'])
    endpoints.push((await call(team, 'POST', '/webhook-endpoints', { url: `http://127.0.0.1:9/${path}` })).body);
  const [id, other] = endpoints.map(({ webhookEndpoint }) => webhookEndpoint.id);
  await service.sql(
    `insert into webhook_deliveries (id, team_id, project_id, endpoint_id, position, event_id, type, object_key, status, attempts,
                                     failures, trigger, created_at)
     select 'whd_' || lpad(n::text, 24, '0'), ?, ?, case when n = 1 then ? else ? end, n, 'ev_' || lpad(n::text, 24, '0'),
            case when n = 1 then 'invoice.paid' else 'customer.updated' end, 'customer c',
            case when n = 1 then 'succeeded' else 'failed' end, 1, 0, 'automatic', now() - interval '1 second' + n * interval '1 microsecond'
       from generate_series(1, 10500) n`,
    [team.teamId, team.projectId, id, other],
  );
  const findAll = async (filter: string) => {
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await call(team, 'GET', `/webhook-deliveries?${filter}${cursor && `&cursor=${cursor}`}`);
      found.push(...body.deliveries.map((delivery: { eventId: string }) => delivery.eventId));
      cursor = body.nextCursor;
    }
    return found;
  };
  const first = `ev_${'1'.padStart(24, '0')}`;
  for (const filter of ['type=invoice.paid', 'status=succeeded', `endpointId=${id}`, `eventId=${first}`])
    expect(await findAll(filter)).toEqual([first]);
  expect(await findAll(`endpointId=${id}&status=failed`)).toEqual([]);
});

it('refuses what cannot be sent, and says why', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const { webhookEndpoint } = (await call(team, 'POST', '/webhook-endpoints', { url: receiver.url })).body;
  const path = `/webhook-endpoints/${webhookEndpoint.id}`;
  const event = await newEventOf(team);
  const list = async () => (await call(team, 'GET', `/webhook-deliveries?eventId=${event.id}`)).body.deliveries;
  await waitFor(async () => (await list())[0]?.status === 'succeeded', { what: 'the delivery' });
  const [delivery] = await list();
  const retry = async () => {
    const { status, body } = await call(team, 'POST', `/webhook-deliveries/${delivery.id}/retry`);
    return [status, body.error?.code];
  };
  const unchanged = await call(team, 'PATCH', path, { url: receiver.url, eventTypes: ['*'], enabled: true });
  expect(unchanged.body.webhookEndpoint.updatedAt).toBe(webhookEndpoint.updatedAt);
  await service.sql('update webhook_deliveries set next_attempt_at = now() where id = ?', [delivery.id]);
  expect(await retry()).toEqual([409, 'delivery_in_progress']);
  await call(team, 'PATCH', path, { enabled: false });
  expect(await retry()).toEqual([409, 'webhook_endpoint_disabled']);
  expect(await call(team, 'POST', `${path}/send`, { eventId: event.id })).toMatchObject({
    status: 409,
    body: { error: { code: 'webhook_endpoint_disabled' } },
  });
  // One of the events, of this project and another one's, is none of the deliveries.
  const elsewhere = { ...team, projectId: service.newProject(team.teamId) };
  await newEventOf(elsewhere);
  const cursors = [team, elsewhere].map(async of => (await call(of, 'GET', '/events?limit=1')).body.nextCursor);
  for (const cursor of ['garbage', 'e30', ...(await Promise.all(cursors))])
    expect((await call(team, 'GET', `/webhook-deliveries?cursor=${cursor}`)).status).toBe(400);
  for (const secret of ['whsec_c2hvcnQ=', `whsec_${'!'.repeat(44)}`, 'A'.repeat(44)])
    expect((await call(team, 'POST', '/webhook-endpoints', { url: receiver.url, secret })).status).toBe(400);
  // As after the retention, which drops the event first.
  await service.sql('delete from events where id = ?', [event.id]);
  await service.sql(`update webhook_endpoints set status = 'enabled' where id = ?`, [webhookEndpoint.id]);
  expect(await retry()).toEqual([404, 'webhook_delivery_not_found']);
  expect(await call(team, 'GET', `/webhook-deliveries/${delivery.id}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'webhook_delivery_not_found' } },
  });
});

it('sends past events again: those that failed, that it never got, or all', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const early = await newEventOf(team);
  const { webhookEndpoint } = (await call(team, 'POST', '/webhook-endpoints', { url: receiver.url })).body;
  const { id } = webhookEndpoint;
  const late = await newEventOf(team);
  const idle = () =>
    waitFor(
      async () =>
        (
          await service.sql(
            `select 1 from webhook_endpoints e where id = ? and position = wanted_position and lease_id is null and not exists (
               select from webhook_deliveries where endpoint_id = e.id and next_attempt_at is not null)`,
            [id],
          )
        ).length === 1,
      { what: 'the endpoint to have everything' },
    );
  await idle();
  const since = new Date(Date.now() - 3_600_000).toISOString();
  /** Recovers, and returns what was sent. */
  const recover = async (only: string) => {
    const before = receiver.received.length;
    const recovered = await call(team, 'POST', `/webhook-endpoints/${id}/recover`, { since, only });
    expect(recovered).toMatchObject({ status: 202, body: { recovery: { status: 'completed' } } });
    await idle();
    const sent = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
    expect(recovered.body.recovery).toMatchObject({ matched: sent.length, queued: sent.length });
    return sent;
  };
  expect(await recover('failed')).toEqual([]);
  expect(await recover('missing')).toEqual([early.id]);
  expect(await recover('missing')).toEqual([]);
  await service.sql(`update webhook_deliveries set status = 'failed' where endpoint_id = ? and event_id = ?`, [
    id,
    late.id,
  ]);
  expect(await recover('failed')).toEqual([late.id]);
  expect(await recover('all')).toEqual(expect.arrayContaining([early.id, late.id]));
  const long = new Date(Date.now() - 40 * 86_400_000).toISOString();
  expect(await call(team, 'POST', `/webhook-endpoints/${id}/recover`, { since: long, only: 'all' })).toMatchObject({
    status: 422,
    body: { error: { code: 'recovery_too_old' } },
  });
});
