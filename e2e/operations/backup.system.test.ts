import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findServers } from '@billing/local-system/running-system';
import { expect, it, type TestContext } from 'vitest';
import { readAllResponses, type Responses } from '../system/all-responses.ts';
import { drain } from '../system/drain.ts';
import { ok } from '../system/http.ts';
import { runForSystem } from '../system/operator-command.ts';
import { setService } from '../system/running-system.ts';
import { withClient } from '../system/servers.ts';
import { startSystem } from '../system/start-system.ts';
import { fillTenant, startTraffic } from '../system/tenant-life.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { newFailingEndpoint } from '../system/webhook-records.ts';

const BACKUP = 'tools/backup/src/backup.ts';
const RESTORE = 'tools/backup/src/restore.ts';
/** The reconciler fetches what came after the backup within seconds. */
const VARIABLES = { RECONCILE_INTERVAL_SECONDS: '2', RECONCILE_GRACE_SECONDS: '1' };

it('restores everything of a backup, and fetches what came after it', async context => {
  await using folder = await newFolder();
  const first = await startSystem(VARIABLES);
  await using stopping = new AsyncDisposableStack();
  stopping.defer(() => first.stop());
  const { dataDir } = first;
  // An earlier backup, in a folder beside.
  skipWithoutTools(context, (await runForSystem(dataDir, BACKUP, join(folder.path, 'earlier'))).output);
  const quiet = [await newTenant(first), await newTenant(first)];
  for (const tenant of quiet) await fillTenant(tenant);
  await Promise.all(quiet.map(addDisabledEndpoint));
  for (const tenant of quiet) await untilCounted(tenant);
  const before = await Promise.all(quiet.map(readSettled));

  const busy = await newTenant(first);
  const traffic = startTraffic(busy);
  await traffic.untilSubscribed(2);
  // Stands still from before the backup on: what it has not handled is in the stream, which is lost.
  await setService('analytics', 'stop', dataDir);
  await traffic.untilSubscribed(2);
  const backup = await runForSystem(dataDir, BACKUP, folder.path);
  expect(backup, backup.output).toMatchObject({ exitCode: 0 });
  await traffic.untilSubscribed(2);
  await traffic.stop();
  await setService('analytics', 'start', dataDir);
  await untilCounted(busy);
  const lost = await readFetched(busy);
  const newest = await newestEvent(busy);
  expect(lost.lists['subscriptions']?.length).toBeGreaterThanOrEqual(6);

  stopping.move();
  await first.kill();
  for (const name of ['postgres', 'nats']) await rm(join(dataDir, name), { recursive: true });
  const saved = (await readdir(folder.path)).find(name => name.startsWith('billing-')) ?? '';
  expect(await modesIn(join(folder.path, saved))).toEqual(new Set([0o600]));
  const restored = await runForSystem(dataDir, RESTORE, join(folder.path, saved));
  expect(restored, restored.output).toMatchObject({ exitCode: 0 });
  // Analytics had not handled the events of two subscriptions.
  const [, republished] = /^(\d+) events/m.exec(restored.output) ?? [];
  expect(Number(republished)).toBeGreaterThan(10);

  const second = await startSystem(VARIABLES, { again: first });
  await using stoppingSecond = new AsyncDisposableStack();
  stoppingSecond.defer(() => second.stop());
  expect(await hasStatistics(findServers(dataDir, 'subscriptions').databaseUrl)).toBe(true);
  for (const tenant of quiet) await drain(tenant);
  expect(await Promise.all(quiet.map(readAllResponses))).toEqual(before);
  // The secret of an endpoint opens: a test is signed, and posted to where nobody listens.
  for (const { api, P } of quiet) {
    const [{ id }] = (await ok(api.get(`${P}/webhook-endpoints`))).webhookEndpoints;
    const { attempt } = await ok(api.post(`${P}/webhook-endpoints/${id}/test`, {}));
    expect(attempt).toMatchObject({ error: 'connection_refused' });
  }
  await expect.poll(() => readFetched(busy), { interval: 500 }).toEqual(lost);
  await drain(busy);
  expect(await readFetched(busy)).toEqual(lost);
  // Whoever had read every event finds the new ones behind it.
  const next = await newestEvent(busy);
  expect(next.position).toBeGreaterThan(newest.position);
  expect(next.id).not.toBe(newest.id);
});

async function newestEvent({ api, P }: Tenant): Promise<{ readonly id: string; readonly position: number }> {
  return (await ok(api.get(`${P}/events?order=desc&limit=1`))).events[0];
}

/** Gives a tenant deliveries that have failed, to an endpoint that is disabled then. */
async function addDisabledEndpoint(tenant: Tenant): Promise<void> {
  const { endpointId } = await newFailingEndpoint(tenant);
  await ok(tenant.api.patch(`${tenant.P}/webhook-endpoints/${endpointId}`, { enabled: false }));
}

/** Reads everything once nothing is recorded any more. */
async function readSettled(tenant: Tenant): Promise<Responses> {
  for (let last: Responses | undefined; ;) {
    const read = await readAllResponses(tenant);
    if (isDeepStrictEqual(read, last)) return read;
    last = read;
  }
}

/** Our own times of records that were made again, and ids that only we know. */
const NEW_AFTER_RESTORE = {
  products: ['createdAt', 'updatedAt'],
  prices: ['createdAt', 'updatedAt'],
  customers: ['createdAt', 'updatedAt'],
  subscriptions: ['createdAt', 'updatedAt'],
  invoices: ['createdAt', 'updatedAt'],
  payments: ['createdAt', 'updatedAt'],
};

/** Waits until the tenant is drained and analytics, which follows each kind of record on its own, counts them all. */
async function untilCounted(tenant: Tenant): Promise<void> {
  const { billing } = tenant;
  await drain(tenant);
  const subscriptions = await Array.fromAsync(billing.subscriptions.list({ activeOnly: true }));
  const customers = await Array.fromAsync(billing.customers.list());
  const amounts = subscriptions.flatMap(({ items }) => items.map(({ unitAmount }) => unitAmount ?? 0));
  const mrr = amounts.reduce((sum, amount) => sum + amount, 0);
  await expect
    .poll(() => billing.analytics.get(), { interval: 300 })
    .toMatchObject({ mrr, customerCount: customers.length });
}

/** Whether PostgreSQL has statistics of the subscriptions, without which it does not know what its indexes are good for. */
const hasStatistics = (databaseUrl: string): Promise<boolean> =>
  withClient(
    databaseUrl,
    async client =>
      (await client.query(`select from pg_stats where tablename = 'subscriptions' limit 1`)).rowCount === 1,
  );

/** What a tenant has sold, which the processor knows too. */
async function readFetched({ billing, api, P }: Tenant) {
  const { mrr, mrrByCurrency, customerCount } = await billing.analytics.get();
  const lists: Record<string, object[]> = {};
  for (const [name, fields] of Object.entries(NEW_AFTER_RESTORE)) {
    const body = await ok(api.get(`${P}/${name}?limit=100`));
    lists[name] = (body[name] as object[])
      .map(item => Object.fromEntries(Object.entries(item).filter(([field]) => !fields.includes(field))))
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return { metrics: { mrr, mrrByCurrency, customerCount }, lists };
}

/** A machine without PostgreSQL's client programs can't make a backup; CI fetches them. */
function skipWithoutTools(context: TestContext, output: string): void {
  const [reason] = /no pg_dump can read it.*/.exec(output) ?? [];
  if (reason) context.skip(`not run: ${reason}`);
}

/** The permissions of the files in a folder. */
async function modesIn(path: string): Promise<Set<number>> {
  const files = await readdir(path);
  return new Set(await Promise.all(files.map(async file => (await stat(join(path, file))).mode & 0o777)));
}

async function newFolder() {
  const path = await mkdtemp(join(tmpdir(), 'billing-backups-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
