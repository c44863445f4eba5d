import { setTimeout as delay } from 'node:timers/promises';
import { DELIVERIES_PATH, encodeBundle, type BundleResponse } from '@billing/contracts/delivery-bundle';
import { relayOnce } from '@billing/messaging/outbox';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startHealer } from '#healing/healer.ts';
import { aCustomer, anEvent, newCredentials, sign, startService, type Service, type Team } from './service.ts';

const LOOK_MS = 20;
/** Enough for several looks, even of a slow machine. */
const SOME_LOOKS_MS = 300;
const REFUSED = { error: { code: 'unavailable' } };

/** A service over its mark: the account of each team it was given is a fact that nobody has published. */
async function startFullService() {
  const service = await startService({ working: false, highWater: 2 });
  const team = await service.newTeam();
  await service.newTeam();
  await service.newTeam();
  await waitFor(service.backlog.isOverloaded, { what: 'the outbox to be full' });
  return { service, team };
}

async function drain({ database, bus, backlog }: Service): Promise<void> {
  expect(await relayOnce(database.em, bus.publish)).toBe(3);
  await waitFor(() => !backlog.isOverloaded(), { what: 'the outbox to count as drained' });
}

async function storedIds({ admin }: Service): Promise<string[]> {
  const { rows } = await admin.query('select id from webhooks.webhook_events');
  return rows.map(({ id }) => String(id));
}

async function sendBundled({ app, identity }: Service, { teamId, webhookSecret }: Team, events: readonly object[]) {
  const deliveries = events.map(event => {
    const body = Buffer.from(JSON.stringify(event));
    return { teamId, signature: sign(body, webhookSecret), requestId: 'a-request', trace: {}, body };
  });
  const headers = { ...identity.anonymous(), 'content-type': 'application/octet-stream' };
  const answer = await app.inject({ method: 'POST', url: DELIVERIES_PATH, payload: encodeBundle(deliveries), headers });
  return answer.json<BundleResponse>().responses;
}

it('refuses each delivery while its outbox is full, stores none, and takes them once it has drained', async () => {
  const { service: full, team } = await startFullService();
  await using service = full;
  const newEvent = () => anEvent('customer.updated', aCustomer(team.projectId));
  const [direct, atOldPath] = [newEvent(), newEvent()];
  const bundled = [newEvent(), newEvent()];
  const send = async () => [await service.send(team, direct), await service.send(team, atOldPath, { path: 'stripe' })];

  for (const refused of await send()) {
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(refused.json()).toMatchObject(REFUSED);
  }
  const answer = { status: 503, retryAfterSeconds: 5, body: REFUSED };
  expect(await sendBundled(service, team, bundled)).toMatchObject([answer, answer]);
  expect(await storedIds(service)).toEqual([]);

  await drain(service);
  expect((await send()).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect(await sendBundled(service, team, bundled)).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect((await storedIds(service)).toSorted()).toEqual([direct, atOldPath, ...bundled].map(({ id }) => id).toSorted());
});

it('refuses writes while its outbox is full, and answers reads', async () => {
  const { service: full, team } = await startFullService();
  await using service = full;
  expect(await service.list(team)).toMatchObject({ webhookEvents: [], pagination: { total: 0 } });
  const connect = () => service.connect(team.teamId, { ...newCredentials(), secretKey: team.secretKey });
  expect((await connect()).statusCode).toBe(503);
  await drain(service);
  expect((await connect()).statusCode).toBe(200);
});

it('looks for no events that webhooks did not bring while its outbox is full', async () => {
  const { service: full } = await startFullService();
  await using service = full;
  const healed: string[] = [];
  const stop = startHealer({
    em: service.database.em,
    heal: async ({ teamId }) => {
      healed.push(teamId);
      return 0;
    },
    onRecovered: () => undefined,
    logger: service.logger,
    intervalMs: 60_000,
    lookMs: LOOK_MS,
    isOverloaded: service.backlog.isOverloaded,
  });
  await delay(SOME_LOOKS_MS);
  expect(healed).toEqual([]);
  await drain(service);
  await waitFor(() => healed.length === 3, { what: 'all teams to be looked after' });
  await stop();
});
