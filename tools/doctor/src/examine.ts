import type { NatsConnection } from '@nats-io/transport-node';
import type { ServiceName } from '@billing/contracts/operation';
import { RETENTION_MS } from '@billing/messaging/bus';
import { brokerAddress, connectTo } from '@billing/messaging/connection';
import { checkClocks } from './checks/clocks.ts';
import { checkConsumers } from './checks/consumers.ts';
import { checkDeadLetters } from './checks/dead-letters.ts';
import { checkEndpoints } from './checks/endpoints.ts';
import { checkLeases } from './checks/leases.ts';
import { checkMetrics, checkRecords } from './checks/metrics.ts';
import { checkMigrations } from './checks/migrations.ts';
import { checkOutboxes } from './checks/outboxes.ts';
import { checkSample } from './checks/processor.ts';
import { checkServices, unreachableBroker, unreachableDatabase } from './checks/reachability.ts';
import { checkForeignRights, checkRolePowers } from './checks/rights.ts';
import { checkStream } from './checks/stream.ts';
import { checkDeletedCustomers, checkFailedStates, checkPeriods } from './checks/subscriptions.ts';
import { checkVersions } from './checks/versions.ts';
import type { Limits } from './finding.ts';
import type { System } from './find-system.ts';
import { openReadOnly, type ReadOnlyDatabase } from './read/database.ts';
import { readEndpoints } from './read/endpoints.ts';
import { readMiscounted, readWrongMetrics } from './read/metrics.ts';
import { readMigrations } from './read/migrations.ts';
import { readClock, readPostgresVersion } from './read/postgres.ts';
import { openProcessors, readSample } from './read/processor.ts';
import { readServices } from './read/reachability.ts';
import { readForeignRights, readRolePowers } from './read/rights.ts';
import { declaredConsumers, readOldNats, readStream } from './read/stream.ts';
import { readEndedPeriods, readFailedStates, readOfDeletedCustomers } from './read/subscriptions.ts';
import { readDeadLetters, readOutbox, readOverdue } from './read/work.ts';
import { messageOf, openReport, type Report, type ReportWriter } from './report.ts';

/** What one examination works on. */
interface Examination {
  readonly system: System;
  readonly limits: Limits;
  /** Those that open. */
  readonly databases: readonly ReadOnlyDatabase[];
  /** Null when it is not known, or does not respond. */
  readonly nats: NatsConnection | null;
  readonly resources: AsyncDisposableStack;
  readonly writer: ReportWriter;
}

/** Examines a system, and changes nothing in it. */
export async function examine(system: System, limits: Limits): Promise<Report> {
  await using resources = new AsyncDisposableStack();
  const writer = openReport();
  const databases = await openDatabases(system, resources, writer);
  const nats = await openNats(system, resources, writer);
  const examination = { system, limits, databases, nats, resources, writer };
  await examineServers(examination);
  await examineStream(examination);
  for (const database of databases) await examineWork(examination, database);
  await examineRecords(examination);
  await examineProcessor(examination);
  return writer.report;
}

/** Whether everything responds, in the right version and at the right time, and no role has a right too many. */
async function examineServers({ system, limits, databases, nats, writer }: Examination): Promise<void> {
  const [any] = databases;
  const services = await readServices(system.services);
  writer.add(...checkServices(services));
  if (services.length === 0) writer.skip('services', 'set GATEWAY_URL, CATALOG_URL, …');
  await writer.run('versions', async () =>
    checkVersions({
      node: process.versions.node,
      postgres: any ? await readPostgresVersion(any) : null,
      oldNats: nats && readOldNats(nats, brokerAddress(system.natsUrl ?? '').hosts),
    }),
  );
  await writer.run('clocks', async () => {
    const ofServices = services.flatMap(({ service: name, clockOffsetMs: aheadMs }) =>
      aheadMs === null ? [] : [{ name, aheadMs }],
    );
    return checkClocks([...(any ? [await readClock(any)] : []), ...ofServices], limits);
  });
  if (!any) return;
  await writer.run('rights', async () => checkForeignRights(await readForeignRights(any)));
  await writer.run('roles', async () => checkRolePowers(await readRolePowers(any)));
}

/** Whether the stream keeps what it is given, and its consumers read it. */
async function examineStream({ system, limits, nats, writer }: Examination): Promise<void> {
  const what = 'stream and consumers';
  if (!nats) return writer.skip(what, system.natsUrl ? 'NATS does not respond' : 'set ADMIN_NATS_URL');
  await writer.run(what, async () => {
    const { stream, consumers } = await readStream(nats);
    return [...checkStream(stream, RETENTION_MS, limits), ...checkConsumers(consumers, declaredConsumers(), limits)];
  });
}

/** Whether a service's schema is up to date, and the work in it gets done. Older schemas may lack what is read of the work. */
async function examineWork({ limits, writer }: Examination, database: ReadOnlyDatabase): Promise<void> {
  const { service } = database;
  let isCurrent = false;
  await writer.run(`migrations of ${service}`, async () => {
    const pending = checkMigrations([await readMigrations(database)]);
    isCurrent = pending.length === 0;
    return pending;
  });
  if (!isCurrent) return writer.skip(`the work of ${service}`, 'its schema is not up to date');
  await writer.run(`outbox of ${service}`, async () => checkOutboxes([await readOutbox(database)], limits));
  await writer.run(`dead letters of ${service}`, async () => checkDeadLetters(await readDeadLetters(database)));
  await writer.run(`leases of ${service}`, async () => checkLeases(await readOverdue(database), limits));
  if (service === 'webhooks')
    await writer.run('endpoints', async () => checkEndpoints(await readEndpoints(database), limits));
}

/** Whether what the services have recorded fits together. */
async function examineRecords({ limits, databases, writer }: Examination): Promise<void> {
  const subscriptions = databaseOf(databases, 'subscriptions');
  if (subscriptions) {
    await writer.run('deleted customers', async () =>
      checkDeletedCustomers(await readOfDeletedCustomers(subscriptions, limits)),
    );
    await writer.run('periods', async () => checkPeriods(await readEndedPeriods(subscriptions), limits));
    await writer.run('states of customers', async () => checkFailedStates(await readFailedStates(subscriptions)));
  }
  const analytics = databaseOf(databases, 'analytics');
  if (!analytics) return;
  await writer.run('metrics', async () => checkMetrics(await readWrongMetrics(analytics)));
  await writer.run('counted records', async () => checkRecords(await readMiscounted(analytics, databases, limits)));
}

/** Whether subscriptions are what they are at the processor; those with a finding are left out. */
async function examineProcessor(examination: Examination): Promise<void> {
  const { system, limits, databases, nats, resources, writer } = examination;
  const { processor } = system;
  const what = 'subscriptions, against the processor';
  const subscriptions = databaseOf(databases, 'subscriptions');
  if (!subscriptions) return writer.skip(what, 'the database of subscriptions is not known, or does not open');
  if (!processor) return writer.skip(what, 'set SUBSCRIPTIONS_SERVICE_KEY and SUBSCRIPTIONS_NATS_URL');
  if (!nats) return writer.skip(what, 'NATS does not respond');
  await writer.run(what, async () => {
    const processors = await openProcessors(processor, resources);
    const except = writer.report.findings.map(({ subject }) => subject);
    const { compared, unread } = await readSample(subscriptions, processors, limits, except);
    for (const { id, why } of unread) writer.skip(`${id}, against the processor`, why);
    return checkSample(compared);
  });
}

const databaseOf = (databases: readonly ReadOnlyDatabase[], wanted: ServiceName): ReadOnlyDatabase | undefined =>
  databases.find(({ service }) => service === wanted);

async function openDatabases(
  { databases: urls }: System,
  resources: AsyncDisposableStack,
  writer: ReportWriter,
): Promise<ReadOnlyDatabase[]> {
  const databases: ReadOnlyDatabase[] = [];
  for (const [service, url] of urls) {
    try {
      databases.push(resources.use(await openReadOnly(service, url)));
    } catch (err) {
      writer.add(unreachableDatabase(service, messageOf(err)));
    }
  }
  return databases;
}

async function openNats(
  { natsUrl }: System,
  resources: AsyncDisposableStack,
  writer: ReportWriter,
): Promise<NatsConnection | null> {
  if (natsUrl === null) return null;
  try {
    return resources.adopt(await connectTo(brokerAddress(natsUrl), 'doctor'), opened => opened.close());
  } catch (err) {
    writer.add(unreachableBroker(messageOf(err)));
    return null;
  }
}
