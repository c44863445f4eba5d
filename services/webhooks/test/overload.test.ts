import { DELIVERIES_PATH, encodeBundle, type BundleResponse } from '@billing/contracts/delivery-bundle';
import { waitFor } from '@billing/testing/wait-for';
import { signatureOf } from '@billing/testing/signed-webhooks';
import { expect, it } from 'vitest';
import { startEagerReconciler } from './reconciling.ts';
import { completed } from './domain-events.ts';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const REFUSED = { error: { code: 'unavailable' } };

/** Starts a service whose outbox is full: no relay runs, and to connect each of five teams makes two events. */
async function startOverloaded() {
  const service = await startWebhooks({ run: false, reconciler: false, outboxHighWater: 8 });
  const team = await service.newTeam();
  for (let others = 0; others < 4; others += 1) await service.newTeam();
  await waitFor(service.isOverloaded, { what: 'the outbox to be full' });
  return { service, team };
}

async function drain(service: WebhooksService): Promise<void> {
  await service.run();
  await waitFor(() => !service.isOverloaded(), { what: 'the outbox to drain' });
}

async function sendBundled(
  { app, identity }: WebhooksService,
  { teamId, webhookSecret }: Team,
  events: readonly object[],
) {
  const deliveries = events.map(event => {
    const body = Buffer.from(JSON.stringify(event));
    return { teamId, signature: signatureOf(body, webhookSecret), requestId: 'a-request', trace: {}, body };
  });
  const headers = { ...identity.anonymous(), 'content-type': 'application/octet-stream' };
  const response = await app?.inject({
    method: 'POST',
    url: DELIVERIES_PATH,
    payload: encodeBundle(deliveries),
    headers,
  });
  return response?.json<BundleResponse>().responses;
}

it('refuses each delivery while its outbox is full, stores none, and accepts them once it has drained', async () => {
  const { service: overloaded, team } = await startOverloaded();
  await using service = overloaded;
  const newEvent = () => customerUpdated(team.projectId);
  const [direct, atOldPath] = [newEvent(), newEvent()];
  const bundled = [newEvent(), newEvent()];
  const send = async () => [await service.send(team, direct), await service.send(team, atOldPath, { path: 'stripe' })];

  for (const { status, headers, body } of await send()) {
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    expect(body).toMatchObject(REFUSED);
  }
  const refusal = { status: 503, retryAfterSeconds: 5, body: REFUSED };
  expect(await sendBundled(service, team, bundled)).toMatchObject([refusal, refusal]);
  expect((await service.list(team)).webhookEvents).toEqual([]);

  await drain(service);
  expect((await send()).map(({ status }) => status)).toEqual([200, 200]);
  expect(await sendBundled(service, team, bundled)).toMatchObject([{ status: 200 }, { status: 200 }]);
  const { webhookEvents } = await service.list(team);
  expect(webhookEvents.map(({ id }) => String(id)).toSorted()).toEqual(
    [direct, atOldPath, ...bundled].map(({ id }) => id).toSorted(),
  );
});

it('refuses writes while its outbox is full, and serves reads', async () => {
  const { service: overloaded, team } = await startOverloaded();
  await using service = overloaded;
  expect(await service.list(team)).toMatchObject({ webhookEvents: [], pagination: { total: 0 } });
  const connect = () => service.connect(team.teamId, { ...newCredentials(), secretKey: team.secretKey });
  expect((await connect()).status).toBe(503);
  await drain(service);
  expect((await connect()).status).toBe(200);
});

it('reconciles no team while its outbox is full', async () => {
  const { service: overloaded, team } = await startOverloaded();
  await using service = overloaded;
  const { id } = await service.processorOf(team).createCustomer({ email: 'a@example.com', metadata: {} }, 'c1');
  await using reconciler = new AsyncDisposableStack();
  let polls = 0;
  reconciler.defer(
    startEagerReconciler(service, () => {
      polls += 1;
      return service.isOverloaded();
    }),
  );
  await waitFor(() => polls > 5, { what: 'the reconciler to look for teams' });
  const leased = 'select 1 from reconciliations where lease_id is not null or has_backfilled or failures > 0';
  expect(await service.sql(leased)).toEqual([]);

  await drain(service);
  const recovered = async () => (await service.list(team)).webhookEvents.some(({ objectId }) => objectId === id);
  await waitFor(recovered, { what: 'the event to be recovered' });
  expect(await service.sql(leased)).not.toEqual([]);
});

it('refuses the deliveries of a team of which too many events wait, and of no other', async () => {
  await using service = await startWebhooks({ run: false, reconciler: false, outboxHighWater: 16 });
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const send = (to: Team, event = customerUpdated(to.projectId)) => service.send(to, event);
  const flood = Array.from({ length: 11 }, () => customerUpdated(team.projectId));
  for (const event of flood) expect(await send(team, event)).toMatchObject({ status: 200 });
  await waitFor(() => service.isTeamOverloaded(team.teamId), { what: 'the team to be overloaded' });
  const refused = { status: 429, body: { error: { code: 'rate_limited' } } };
  expect(await send(team)).toMatchObject(refused);
  expect(await sendBundled(service, team, [customerUpdated()])).toMatchObject([refused]);
  // Of the team twelve events count, of the other two of its connection: these wait in the outbox.
  expect(service.isOverloaded()).toBe(false);
  for (let more = 0; more < 3; more += 1) expect(await send(other)).toMatchObject({ status: 200 });
  await waitFor(service.isOverloaded, { what: 'the service to be overloaded' });
  expect(await send(other)).toMatchObject({ status: 503, body: REFUSED });

  await service.run();
  for (const { id } of flood) await service.waitForPublications(id);
  await service.emit(...flood.map(({ id }) => completed(team, id)));
  await waitFor(() => !service.isOverloaded(), { what: 'the outbox to drain' });
  await waitFor(() => !service.isTeamOverloaded(team.teamId), { what: 'the events of the team to drain' });
  expect(await send(team)).toMatchObject({ status: 200 });
});
