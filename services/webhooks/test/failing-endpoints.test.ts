import { AuditRecorded } from '@billing/contracts/events/audit';
import { WebhookEndpointFailed } from '@billing/contracts/events/webhooks';
import { CustomerId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  customerChange as change,
  customerHistory as history,
  startDelivering,
  type OutgoingSteps,
} from './outgoing-steps.ts';
import { startReceiver } from './receiver.ts';
import type { Team, WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let steps: OutgoingSteps;
beforeAll(async () => {
  ({ service, steps } = await startDelivering());
});
afterAll(() => service[Symbol.asyncDispose]());

const rowOf = async (id: string) =>
  (await service.sql('select position::int, status, lease_id from webhook_endpoints where id = ?', [id]))[0];
/** Until nobody sends to it, and nothing that was called for is left to send. */
const untilIdle = (id: string) =>
  waitFor(
    async () => {
      const idle = 'lease_id is null and coalesce(due_at > clock_timestamp(), true)';
      return (await service.sql(`select 1 from webhook_endpoints where id = ? and ${idle}`, [id])).length === 1;
    },
    { what: 'the turn of the endpoint to end' },
  );
const deliveriesOf = (id: string) =>
  service.sql(
    `select id, status, attempts, failures, next_attempt_at from webhook_deliveries where endpoint_id = ? order by position`,
    [id],
  );
const eventsOf = async (team: Team, objectId: string) =>
  (await steps.call(team, 'GET', `/events?objectId=${objectId}`)).body.events;

it('gets all that it missed when it comes back, however often it was tried meanwhile', async () => {
  const team = await service.newTeam();
  let isMended = false;
  await using receiver = await startReceiver(() => (isMended ? 200 : 503));
  const { id } = await steps.newEndpoint(team, receiver.url, { maxConcurrency: 1 });
  await steps.emit(team, ...history(team, 3, 2));
  const failed = async () => (await rowOf(id))?.['status'] === 'failing';
  await waitFor(
    async () => {
      if (!(await failed())) await steps.endPauses(id);
      return failed();
    },
    { what: 'it to count as failing' },
  );
  await untilIdle(id);
  await service.sql('update webhook_deliveries set failures = 8 where endpoint_id = ?', [id]);
  const before = receiver.received.length;
  for (let probes = 1; probes <= 3; probes += 1) {
    await steps.endPauses(id);
    await waitFor(() => receiver.received.length >= before + probes, { what: 'a probe' });
    await untilIdle(id);
  }
  expect(receiver.received).toHaveLength(before + 3);
  isMended = true;
  await steps.endPauses(id);
  await waitFor(
    async () => {
      const rows = await deliveriesOf(id);
      return rows.length === 6 && rows.every(({ status }) => status === 'succeeded');
    },
    { what: 'everything' },
  );
  expect(await rowOf(id)).toMatchObject({ status: 'enabled', position: 6 });
});

it('gives an event up after ten attempts, and sends the later ones of its object', async () => {
  const team = await service.newTeam();
  const broken = CustomerId.create();
  await using receiver = await startReceiver(({ body }) => (body.includes('"sequence":1') ? 422 : 200));
  const { id } = await steps.newEndpoint(team, receiver.url);
  await steps.emit(team, change(team, broken, 1), change(team, broken, 2));
  await waitFor(async () => (await deliveriesOf(id)).length === 2, { what: 'the later one to wait' });
  await untilIdle(id);
  await service.sql('update webhook_deliveries set failures = 9 where endpoint_id = ? and attempts = 1', [id]);
  await steps.endPauses(id);
  await waitFor(async () => (await deliveriesOf(id))[1]?.['status'] === 'succeeded', { what: 'the later one' });
  expect((await deliveriesOf(id))[0]).toMatchObject({ status: 'failed', attempts: 2, next_attempt_at: null });
});

it('waits for as long as the receiver requests', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver(() => ({ status: 503, headers: { 'retry-after': '7200' } }));
  const { id } = await steps.newEndpoint(team, receiver.url);
  await steps.emit(team, ...history(team, 1, 1));
  const [attempted] = await waitFor(
    async () => {
      const rows = await service.sql(
        `select extract(epoch from next_attempt_at - at)::float8 as pause
           from webhook_deliveries d join delivery_attempts a on a.delivery_id = d.id where endpoint_id = ?`,
        [id],
      );
      return rows.length === 1 ? rows : undefined;
    },
    { what: 'the attempt' },
  );
  expect(attempted?.['pause']).toBeGreaterThanOrEqual(7_200);
});

it('reports an endpoint that fails for a day, and disables it after five', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver(() => 500);
  const { id } = await steps.newEndpoint(team, receiver.url, { eventTypes: ['customer.*'] });
  const reported = async () =>
    (await service.published(WebhookEndpointFailed))
      .filter(({ data }) => data.webhookEndpointId === id)
      .map(({ data }) => data.status);
  /** Has it fail once more, so many hours after its first failure. */
  const failAfter = async (hours: number) => {
    const before = receiver.received.length;
    await untilIdle(id);
    await service.sql(
      `update webhook_endpoints set failures = 20, failing_since = now() - make_interval(hours => ?) where id = ?`,
      [hours, id],
    );
    await steps.endPauses(id);
    await waitFor(() => receiver.received.length > before, { what: 'an attempt' });
    await untilIdle(id);
  };
  await steps.emit(team, ...history(team, 2, 1));
  await waitFor(() => receiver.received.length === 2, { what: 'the first attempts' });
  await failAfter(23);
  expect(await reported()).toEqual([]);
  await failAfter(25);
  await failAfter(26);
  expect(await reported()).toEqual(['failing']);
  await failAfter(121);
  expect(await reported()).toEqual(['failing', 'disabled']);
  expect(await rowOf(id)).toMatchObject({ status: 'disabled' });
  expect(await waitFor(async () => (await eventsOf(team, id))[0], { what: 'the event' })).toMatchObject({
    type: 'webhook_endpoint.disabled',
    data: { status: 'disabled', disabledReason: 'failing' },
  });
  const audited = (await service.published(AuditRecorded)).filter(({ data }) => data.target?.id === id);
  expect(audited.map(({ data }) => [data.action, data.actor.type])).toEqual([['disableWebhookEndpoint', 'system']]);
});

it('reports no endpoint that its owner disables', async () => {
  const team = await service.newTeam();
  const { id } = await steps.newEndpoint(team, 'https://hooks.example/');
  await steps.call(team, 'PATCH', `/webhook-endpoints/${id}`, { enabled: false });
  const reported = (await service.published(WebhookEndpointFailed)).filter(({ data }) => data.webhookEndpointId === id);
  expect(reported).toEqual([]);
  expect(await eventsOf(team, id)).toEqual([]);
});

it('sends what is retried by hand at once, also what waits for a probe, and all once a test arrives', async () => {
  const team = await service.newTeam();
  let isMended = false;
  await using receiver = await startReceiver(() => (isMended ? 200 : 500));
  const { id } = await steps.newEndpoint(team, receiver.url);
  await steps.emit(team, ...history(team, 6, 1));
  await waitFor(async () => (await rowOf(id))?.['status'] === 'failing', { what: 'it to count as failing' });
  await untilIdle(id);
  await service.sql('update webhook_deliveries set next_attempt_at = now() where endpoint_id = ?', [id]);
  const last = (await deliveriesOf(id)).findLast(({ attempts }) => attempts === 1);
  const retried = await steps.call(team, 'POST', `/webhook-deliveries/${String(last?.['id'])}/retry`);
  expect(retried.status).toBe(202);
  await waitFor(async () => (await deliveriesOf(id)).some(row => row['id'] === last?.['id'] && row['attempts'] === 2), {
    what: 'the retry',
  });
  isMended = true;
  await steps.call(team, 'POST', `/webhook-endpoints/${id}/test`, {});
  await waitFor(async () => (await deliveriesOf(id)).filter(({ status }) => status === 'succeeded').length === 6, {
    what: 'all that waits',
  });
});

it('sends what an import brings to endpoints that want it, and to no other', async () => {
  const team = await service.newTeam();
  await using all = await startReceiver();
  await using others = await startReceiver();
  const wanting = await steps.newEndpoint(team, all.url);
  await steps.newEndpoint(team, others.url);
  await service.sql('update webhook_endpoints set include_sync = true where id = ?', [wanting.id]);
  const cause = { type: 'sync', requestId: null, processorEventId: null } as const;
  const [imported, made] = [change(team, CustomerId.create(), 1, { cause }), change(team, CustomerId.create(), 1)];
  await steps.emit(team, imported, made);
  await waitFor(() => all.received.length === 2 && others.received.length === 1, { what: 'the events' });
  expect(others.received[0]?.body).toContain(made.object.id);
  expect((await eventsOf(team, imported.object.id))[0]).toMatchObject({ cause });
});

it('sends nothing of a deleted customer again, and its deletion at once', async () => {
  const team = await service.newTeam();
  const customer = CustomerId.create();
  await using receiver = await startReceiver(({ body }) => (body.includes('customer.created') ? 500 : 200));
  const { id } = await steps.newEndpoint(team, receiver.url);
  await steps.emit(team, change(team, customer, 1));
  await waitFor(async () => (await deliveriesOf(id))[0]?.['attempts'] === 1, { what: 'the first attempt' });
  await steps.emit(
    team,
    change(team, customer, 2, { type: 'customer.deleted', data: { id: customer }, previousAttributes: {} }),
  );
  await steps.endPauses(id);
  await waitFor(
    async () => {
      await steps.endPauses(id);
      return (await deliveriesOf(id)).map(({ status }) => status).join() === 'canceled,succeeded';
    },
    { what: 'the deletion' },
  );
  expect(receiver.received).toHaveLength(2);
});

it('serves 97 endpoints in order beside one that hangs, one that is slow and one that is dead', async () => {
  const team = await service.newTeam();
  let endSlow: () => void = () => undefined;
  const slowMayEnd = new Promise<void>(resolve => {
    endSlow = resolve;
  });
  await using receiver = await startReceiver(async ({ path }) => {
    if (path === '/hook?hanging') return 'hang';
    if (path === '/hook?slow') await slowMayEnd;
    return 200;
  });
  const dead = await startReceiver();
  await dead[Symbol.asyncDispose]();
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const ends = ['?hanging', '?slow'];
      return steps.newEndpoint(team, index === 2 ? dead.url : `${receiver.url}${ends[index] ?? `?${index}`}`);
    }),
  );
  await steps.emit(team, ...history(team, 2, 2));
  const sequencesOf = (path: string) => {
    const events = receiver.received.filter(request => request.path === path).map(({ body }) => JSON.parse(body));
    return [...Map.groupBy(events, ({ object }) => object.id).values()].map(ofObject =>
      ofObject.map(({ object }) => object.sequence),
    );
  };
  const inOrder = [
    [1, 2],
    [1, 2],
  ];
  const healthy = Array.from({ length: 97 }, (_, index) => `/hook?${index + 3}`);
  // The slow one responds only after all others are served, and the hanging one never.
  await waitFor(() => receiver.received.filter(({ path }) => healthy.includes(path)).length === 97 * 4, {
    what: 'every event at every healthy endpoint',
  });
  for (const path of healthy) expect(sequencesOf(path)).toEqual(inOrder);
  endSlow();
  await waitFor(() => sequencesOf('/hook?slow').flat().length === 4, { what: 'the slow one' });
  expect(sequencesOf('/hook?slow')).toEqual(inOrder);
});

it('stays enabled by its owner, whatever was on its way when it was gone', async () => {
  const team = await service.newTeam();
  const mayRespond = Promise.withResolvers<void>();
  let hanging = '';
  await using receiver = await startReceiver(async ({ body }, count) => {
    if (count === 7) return 410;
    if (count !== 6) return 200;
    hanging = body;
    await mayRespond.promise;
    return 200;
  });
  const { id } = await steps.newEndpoint(team, receiver.url, { eventTypes: ['customer.*'] });
  await steps.emit(team, ...history(team, 20, 1));
  await waitFor(async () => (await rowOf(id))?.['status'] === 'disabled', { what: 'it to be gone' });
  const enabled = await steps.call(team, 'PATCH', `/webhook-endpoints/${id}`, { enabled: true });
  expect(enabled.body.webhookEndpoint).toMatchObject({ status: 'enabled' });
  mayRespond.resolve();
  // The last event is that it was disabled.
  const isSettled = async () => (await rowOf(id))?.['position'] === 21 || (await rowOf(id))?.['status'] === 'disabled';
  await waitFor(isSettled, { what: 'the others' });
  await untilIdle(id);
  expect(await rowOf(id)).toMatchObject({ status: 'enabled', position: 21 });
  // Nobody knows any more what became of it.
  expect(receiver.received.filter(({ body }) => body === hanging)).toHaveLength(2);
});
