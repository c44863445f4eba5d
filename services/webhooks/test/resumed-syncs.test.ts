import type { SyncId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { cleanSyncs } from '../src/sync/complete-sync.ts';
import { leaseSyncs, type LeasedSync } from '../src/sync/lease-syncs.ts';
import { runSync } from '../src/sync/run-sync.ts';
import { requireCounted } from './count-stored.ts';
import { completed } from './domain-events.ts';
import { serveOwners, type Owner } from './record-owner.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

const CUSTOMERS = 3;

let service: WebhooksService;
let owner: Owner;
beforeAll(async () => {
  service = await startWebhooks({ run: false });
  owner = await serveOwners(service);
});
afterEach(() => requireCounted(service.em));
afterAll(() => service[Symbol.asyncDispose]());

/** Runs the sync that is due, as one copy of the service, until it ends, loses its lease or has had its turn. */
async function work(team: Team, turnMs?: number): Promise<readonly LeasedSync[]> {
  const { em, outbox, rpc, logger } = service;
  const run = runSync({
    em,
    outbox,
    rpc,
    processors: { of: async () => service.processorOf(team) },
    onStored: () => undefined,
    now: () => new Date(),
    recheckMs: 0,
    requestsPerSecond: 1_000,
    quotaBytes: Infinity,
    ...(turnMs !== undefined && { turnMs }),
    logger,
  });
  const leased = await leaseSyncs(em, 1);
  for (const sync of leased) await run(sync, new AbortController().signal);
  return leased;
}

async function startApply(team: Team): Promise<SyncId> {
  const customers = Array.from({ length: CUSTOMERS }, () => service.stripeOf(team).customers.create({ name: 'Ada' }));
  await Promise.all(customers);
  const as = service.identity.asUser(team);
  const body = { mode: 'apply', types: ['customer'] };
  return (await service.call('POST', '/syncs', { of: team, as, body })).body.sync.id;
}

const rowsOf = (id: SyncId) =>
  service.sql('select id, object_id, xmin::text from webhook_events where sync_id = ? order by id', [id]);
const statesOf = (id: SyncId) => service.sql('select state from sync_objects where sync_id = ?', [id]);
/** The process that worked on it died: the next one may lease it. */
const loseLease = (id: SyncId) => service.sql('update syncs set lease_id = null, due_at = now() where id = ?', [id]);

it('goes on after a kill between storing objects and their completion, and stores each once', async () => {
  const team = await service.newTeam();
  const id = await startApply(team);
  const first = work(team);
  await waitFor(async () => (await rowsOf(id)).length === CUSTOMERS, { what: 'the objects to be stored' });
  const stored = await rowsOf(id);
  await loseLease(id);
  await first;
  expect(await statesOf(id)).toEqual(stored.map(() => ({ state: 'applying' })));

  const second = work(team);
  for (const row of stored) {
    owner.record(team, String(row['object_id']));
    await service.deliver(completed(team, String(row['id'])));
  }
  await second;
  const [sync] = await service.sql('select status, counts from syncs where id = ?', [id]);
  expect(sync).toMatchObject({ status: 'completed', counts: { customer: { missing: CUSTOMERS, applied: CUSTOMERS } } });
  expect(await rowsOf(id)).toEqual([]);
});

it('stores nothing more once it is canceled, and its rows go when they are handled', async () => {
  const team = await service.newTeam();
  const id = await startApply(team);
  const working = work(team);
  await waitFor(async () => (await rowsOf(id)).length === CUSTOMERS, { what: 'the objects to be stored' });
  const canceled = await service.call('POST', `/syncs/${id}/cancel`, { of: team, as: service.identity.asUser(team) });
  expect(canceled.body.sync).toMatchObject({ status: 'canceled' });
  await working;
  const [row] = await rowsOf(id);
  await service.deliver(completed(team, String(row?.['id'])));
  await cleanSyncs(service.em);
  expect(await rowsOf(id)).toHaveLength(CUSTOMERS - 1);
});

it('takes turns with the syncs of other teams, and before reports of the night', async () => {
  const [long, short] = [await service.newTeam(), await service.newTeam()];
  const report = async (team: Team) => {
    const body = { mode: 'report', types: ['customer', 'payment'] };
    return (await service.call('POST', '/syncs', { of: team, as: service.identity.asUser(team), body })).body.sync.id;
  };
  const ofTheNight = await report(short);
  await service.sql('update syncs set nightly = true where id = ?', [ofTheNight]);
  const [first, other] = [await service.newTeam(), await service.newTeam()];
  const ids = [await report(long), await report(first), await report(other)];
  const turns: string[] = [];
  const isOpen = async () => (await service.sql('select 1 from syncs where due_at is not null')).length > 0;
  while (await isOpen()) for (const { id } of await work(long, 0)) turns.push(id);
  expect(turns.slice(0, 6)).toEqual([...ids, ...ids]);
  expect(turns.indexOf(ofTheNight)).toBeGreaterThan(turns.lastIndexOf(String(ids.at(-1))));
});
