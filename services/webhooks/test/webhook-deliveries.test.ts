import { waitFor } from '@billing/testing/wait-for';
import { auditOfCommand } from '@billing/service/audit';
import { sendEvent } from '../src/outgoing/deliveries.ts';
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

it('sends one event once for one operation, however often it runs', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const { webhookEndpoint } = (
    await call(team, 'POST', '/webhook-endpoints', { url: receiver.url, eventTypes: ['invoice.*'] })
  ).body;
  const event = await newEventOf(team);
  const send = sendEvent({ outbox: service.outbox, onDue: () => undefined });
  const context = auditOfCommand('disableWebhookEndpoint', 'req_1');
  const run = () => send(team, webhookEndpoint.id, event.id, context, 'one-operation');
  const deliveries = await Promise.all([run(), run(), run()]);
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(1);
  const listed = (await call(team, 'GET', `/webhook-deliveries?eventId=${event.id}`)).body.deliveries;
  expect(listed).toHaveLength(1);
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
  await service.sql('update event_positions set position = 2100 where project_id = ?', [team.projectId]);
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
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  for (const span of [{ since, until: long }, { since: ahead }]) {
    const body = { ...span, only: 'all' };
    const refused = await call(team, 'POST', `/webhook-endpoints/${id}/recover`, body);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
  }
});
