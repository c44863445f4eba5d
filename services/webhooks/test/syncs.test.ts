import { SyncId, TeamId } from '@billing/contracts/ids';
import { FindWebhookEventObject } from '@billing/contracts/rpc/calls';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { storeSyncedObjects } from '../src/receipt/store.ts';
import { requireCounted } from './count-stored.ts';
import { completed } from './domain-events.ts';
import { serveOwners, type Owner, type SyncCreate } from './record-owner.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let owner: Owner;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false, env: { SYNC_RECHECK_SECONDS: '0', SYNC_NIGHTLY: 'off' } });
  owner = await serveOwners(service);
});
afterEach(() => requireCounted(service.em));
afterAll(() => service[Symbol.asyncDispose]());

async function start(team: Team, wanted: SyncCreate): Promise<string> {
  const as = service.identity.asUser(team);
  const { status, body, text } = await service.call('POST', '/syncs', { of: team, as, body: wanted });
  expect(status, text).toBe(202);
  return body.sync.id;
}

async function get(team: Team, path: string) {
  return (await service.call('GET', path, { of: team, as: service.identity.asUser(team) })).body;
}

/** Waits for a sync to end, and returns it. */
const ended = (team: Team, id: string) =>
  waitFor(
    async () => {
      const { sync } = await get(team, `/syncs/${id}`);
      return sync.finishedAt ? sync : undefined;
    },
    { what: 'the sync to end' },
  );

const newCustomer = async (team: Team, fields: object = {}) =>
  (await service.stripeOf(team).customers.create({ name: 'Ada', ...fields })).id;

it('counts every requested type, and stores no object in a report', async () => {
  const team = await service.newTeam();
  const processorId = await newCustomer(team);
  const id = await start(team, { mode: 'report', types: ['product', 'customer'] });
  const sync = await ended(team, id);
  const none = { same: 0, missing: 0, different: 0, extra: 0, conflict: 0, skipped: 0, applied: 0 };
  expect(sync.counts).toEqual({ product: none, customer: { ...none, missing: 1 } });
  expect(sync.progress).toEqual({ product: { read: 0, total: 0 }, customer: { read: 1, total: 1 } });
  expect(await service.sql('select processor_id, object from sync_objects where sync_id = ?', [id])).toEqual([
    { processor_id: processorId, object: null },
  ]);
});

it('publishes what differs as a reading, and no list or statistic counts it as a webhook event', async () => {
  const team = await service.newTeam();
  const processorId = await newCustomer(team, { description: 'x'.repeat(300), metadata: { tier: 'gold' } });
  const id = await start(team, { mode: 'apply', types: ['customer'] });
  const eventId = `${id}:customer:${processorId}`;
  const [publication] = await service.waitForPublications(eventId);
  expect(publication?.data).toMatchObject({
    projectId: team.projectId,
    fromSync: true,
    routedBy: 'known-id',
    object: { id: processorId, metadata: { tier: 'gold' } },
  });
  const [mirrored] = await service.sql(`select data ->> 'name' as name from ${team.teamId}.customers`);
  expect(mirrored).toEqual({ name: 'Ada' });

  expect((await service.list(team)).pagination.total).toBe(0);
  const ofTeam = await service.call('GET', `/api/service/teams/${team.teamId}/webhook-events`, {
    as: service.identity.asUser(team),
  });
  expect(ofTeam.body.pagination.total).toBe(0);

  owner.record(team, processorId);
  await service.emit(completed(team, eventId));
  expect((await ended(team, id)).counts.customer).toMatchObject({ missing: 1, applied: 1 });
  expect(service.totalsOf(team.projectId)).toEqual([]);
  expect(await service.sql('select id from webhook_events where sync_id = ?', [id])).toEqual([]);
});

it('leaves an object off the bus that is too large for it, and serves it', async () => {
  const team = await service.newTeam();
  const id = SyncId.create();
  const eventId = `${id}:customer:cus_large`;
  const object = { id: 'cus_large', object: 'customer', description: 'x'.repeat(40_000) };
  const stored = { id: eventId, type: 'customer.updated', objectId: object.id, object, readAt: new Date() } as const;
  await storeSyncedObjects(service.em.fork(), { id, ...team }, [stored]);
  const [publication] = await service.waitForPublications(eventId);
  expect(publication?.data).toMatchObject({ fromSync: true, objectOmitted: true, object: { id: object.id } });
  const request = { teamId: team.teamId, eventId, part: 0 };
  expect(await service.rpc.call(FindWebhookEventObject, request)).toMatchObject({ parts: 1 });
});

it('marks what names no project, and never writes over the mark of another one', async () => {
  const team = await service.newTeam();
  const { teamId, projectId } = team;
  const other = service.newProject(teamId);
  const [free, taken] = [await newCustomer(team), await newCustomer(team, { metadata: { teamId, projectId: other } })];
  const foreignTeam = TeamId.create();
  const foreign = await newCustomer(team, { metadata: { teamId: foreignTeam } });
  const tenants = await newCustomer(team, { metadata: { projectId: 'acme', customerId: '42' } });
  for (const id of [free, taken, foreign, tenants]) owner.record(team, id);
  await ended(team, await start(team, { mode: 'apply', types: ['customer'], markAtProcessor: true }));
  const metadataOf = async (id: string) => (await service.processorOf(team).findListed('customer', id)).object;
  expect(await metadataOf(free)).toMatchObject({ metadata: { teamId, projectId, customerId: `record_of_${free}` } });
  expect(await metadataOf(taken)).toMatchObject({ metadata: { teamId, projectId: other } });
  expect(await metadataOf(foreign)).toMatchObject({ metadata: { teamId: foreignTeam } });
  expect(await metadataOf(tenants)).toMatchObject({ metadata: { teamId, projectId: 'acme', customerId: '42' } });
});

it('S79: marks nothing that another project holds, though no event has said so here', async () => {
  const team = await service.newTeam();
  const other = { ...team, projectId: service.newProject(team.teamId) };
  const shared = await newCustomer(team);
  owner.record(team, shared);
  owner.record(other, shared);
  await ended(other, await start(other, { mode: 'apply', types: ['customer'], markAtProcessor: true }));
  const { object } = await service.processorOf(team).findListed('customer', shared);
  expect(object?.['metadata']).toEqual({});
});

describe('S80: an API key', () => {
  const asKey = (team: Team) => ({ of: team, as: service.identity.asKey(team) });

  it.each([
    ['without a filter', {}],
    ['without a mark in its filter', { filter: { metadata: {}, includeUnmarked: false } }],
    ['that includes unmarked objects', { filter: { metadata: { app: 'shop' }, includeUnmarked: true } }],
  ])('starts no sync %s', async (_what, wanted) => {
    const team = await service.newTeam();
    for (const markAtProcessor of [false, true]) {
      const body = { mode: 'apply', markAtProcessor, ...wanted };
      const { status, body: refused } = await service.call('POST', '/syncs', { ...asKey(team), body });
      expect([status, refused.error.code]).toEqual([403, 'forbidden']);
    }
    expect((await get(team, '/syncs')).syncs).toEqual([]);
  });

  it('takes and sees what its filter names, and no id of what others hold or nobody', async () => {
    const team = await service.newTeam();
    const { teamId } = team;
    const other = { ...team, projectId: service.newProject(teamId) };
    const own = await newCustomer(team, { metadata: { app: 'shop' } });
    const [held, unmarked] = [await newCustomer(team, { metadata: { app: 'shop' } }), await newCustomer(team)];
    const marked = await newCustomer(team, { metadata: { teamId, projectId: other.projectId } });
    const foreign = await newCustomer(team, { metadata: { app: 'forum' } });
    owner.record(other, held);
    const body = { mode: 'report', types: ['customer'], filter: { metadata: { app: 'shop' } } };
    const started = await service.call('POST', '/syncs', { ...asKey(team), body });
    expect([started.status, started.body.sync.filter.includeUnmarked]).toEqual([202, false]);
    const { id } = await ended(team, started.body.sync.id);
    const idsFor = async (sync: string, caller: ReturnType<typeof asKey>): Promise<string[]> => {
      const { findings, pagination } = (await service.call('GET', `/syncs/${sync}/findings`, caller)).body;
      expect(pagination.total).toBe(findings.length);
      return findings.map((finding: { processorId: string }) => finding.processorId).toSorted();
    };
    expect(await idsFor(id, asKey(team))).toEqual([own]);
    const everything = [own, held, unmarked, marked, foreign].toSorted();
    const asUser = { of: team, as: service.identity.asUser(team) };
    expect(await idsFor(id, asUser)).toEqual(everything);
    // A report of the whole account, which a session has started.
    const whole = await start(team, { mode: 'report', types: ['customer'] });
    await ended(team, whole);
    expect(await idsFor(whole, asKey(team))).toEqual([]);
    expect(await idsFor(whole, asUser)).toEqual(everything);
  });
});

it('takes what was created just now as its list showed it, without a request for each', async () => {
  const team = await service.newTeam();
  const processorIds = [await newCustomer(team), await newCustomer(team)];
  const id = await start(team, { mode: 'apply', types: ['customer'] });
  for (const processorId of processorIds) {
    const eventId = `${id}:customer:${processorId}`;
    const [publication] = await service.waitForPublications(eventId);
    expect(publication?.data.object).toMatchObject({ id: processorId, name: 'Ada' });
    owner.record(team, processorId);
    await service.emit(completed(team, eventId));
  }
  expect((await ended(team, id)).counts.customer).toMatchObject({ missing: 2, applied: 2 });
  const { calls } = await service.controlOf(team).ledger();
  expect(Object.keys(calls)).not.toContain('GET /v1/customers/:id');
});

it('says why the owning service did not record an object', async () => {
  const team = await service.newTeam();
  const processorId = await newCustomer(team);
  const id = await start(team, { mode: 'apply', types: ['customer'] });
  const eventId = `${id}:customer:${processorId}`;
  await service.waitForPublications(eventId);
  await service.emit(completed(team, eventId, { outcome: 'failed', error: 'its handler is broken', attempts: 8 }));
  expect((await ended(team, id)).counts.customer).toMatchObject({ missing: 1, applied: 0 });
  const { findings } = await get(team, `/syncs/${id}/findings`);
  expect(findings).toMatchObject([{ processorId, applied: false, reason: 'its handler is broken' }]);
});

it.each([
  ['customer', 'cus_gone', 'customer.deleted'],
  ['product', 'prod_gone', 'product.deleted'],
  ['price', 'price_gone', 'price.deleted'],
  ['subscription', 'sub_gone', 'customer.subscription.deleted'],
  ['coupon', 'coupon_gone', 'coupon.deleted'],
  ['invoice', 'in_gone', 'invoice.deleted'],
] as const)('ends the record of what is gone, though no event of it came: %s', async (type, processorId, eventType) => {
  const team = await service.newTeam();
  owner.record(team, processorId);
  const id = await start(team, { mode: 'apply', types: [type] });
  const eventId = `${id}:${type}:${processorId}`;
  const [publication] = await service.waitForPublications(eventId, eventType);
  expect(publication?.data.object).toEqual({ id: processorId, object: type, deleted: true });
  owner.delete(team, processorId);
  await service.emit(completed(team, eventId));
  expect((await ended(team, id)).counts[type]).toMatchObject({ extra: 1, applied: 1 });
});

it('takes over the charges of the last 400 days', async () => {
  const team = await service.newTeam();
  const stripe = service.stripeOf(team);
  await service.controlOf(team).rewindClock(410 * 86_400);
  const { id: customer } = await stripe.customers.create({ name: 'Ada' });
  await service.payOnce(team, customer);
  await service.controlOf(team).advanceClock(410 * 86_400);
  const { chargeId } = await service.payOnce(team, customer);
  const id = await start(team, { mode: 'apply', types: ['payment'] });
  const eventId = `${id}:payment:${chargeId}`;
  const [publication] = await service.waitForPublications(eventId, 'charge.updated');
  expect(publication?.data).toMatchObject({ fromSync: true, projectId: team.projectId, object: { id: chargeId } });
  owner.record(team, chargeId);
  await service.emit(completed(team, eventId));
  const sync = await ended(team, id);
  expect(sync.progress.payment).toEqual({ read: 1, total: 1 });
  expect(sync.counts.payment).toMatchObject({ missing: 1, applied: 1 });
});

it('takes turns, so that a sync that waits delays no other for long', async () => {
  const waiting = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const team = await service.newTeam();
      await newCustomer(team);
      return { team, id: await start(team, { mode: 'apply', types: ['customer'] }) };
    }),
  );
  const team = await service.newTeam();
  expect(await ended(team, await start(team, { mode: 'report' }))).toMatchObject({ status: 'completed' });
  for (const one of waiting)
    await service.call('POST', `/syncs/${one.id}/cancel`, { of: one.team, as: service.identity.asUser(one.team) });
});

it('names what it found and whom that belongs to, but nothing of another project', async () => {
  const team = await service.newTeam();
  const stripe = service.stripeOf(team);
  const ada = await newCustomer(team);
  const { id: alan } = await stripe.customers.create({ email: 'alan@example.com' });
  const others = await newCustomer(team, { metadata: { projectId: service.newProject(team.teamId) } });
  const payments = await Promise.all([ada, others].map(customer => service.payOnce(team, customer)));
  owner.record(team, ada);
  const id = await start(team, { mode: 'report', types: ['customer', 'payment'] });
  await ended(team, id);
  const { findings } = await get(team, `/syncs/${id}/findings`);
  const ofPayment = new Map<string, unknown>(
    findings.map((one: { processorId: string; belongsTo: unknown }) => [one.processorId, one.belongsTo]),
  );
  expect(findings).toHaveLength(4);
  expect(findings).toContainEqual(expect.objectContaining({ processorId: alan, name: 'alan@example.com' }));
  expect(findings).toContainEqual(
    expect.objectContaining({ processorId: others, name: null, reason: 'other_project', belongsTo: null }),
  );
  expect(payments.map(({ chargeId }) => ofPayment.get(chargeId))).toEqual([
    { type: 'customer', processorId: ada, id: `record_of_${ada}`, name: 'Ada' },
    { type: 'customer', processorId: others, id: null, name: null },
  ]);
  const { findings: notApplied, pagination } = await get(team, `/syncs/${id}/findings?type=payment&applied=false`);
  expect([notApplied.length, pagination.total]).toEqual([2, 2]);
  expect((await get(team, `/syncs/${id}/findings?applied=true`)).findings).toEqual([]);
});
