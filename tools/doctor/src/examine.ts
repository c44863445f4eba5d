import type { NatsConnection } from '@nats-io/transport-node';
import type { ServiceName } from '@billing/contracts/operation';
import { RETENTION_MS } from '@billing/messaging/bus';
import { brokerAddress, connectTo } from '@billing/messaging/connection';
import { checkClocks } from './checks/clocks.ts';
import { checkConsumers } from './checks/consumers.ts';
import { checkDeadLetters } from './checks/dead-letters.ts';
import { checkLeases } from './checks/leases.ts';
import { checkMetrics, checkUncounted } from './checks/metrics.ts';
import { checkMigrations } from './checks/migrations.ts';
import { checkOutboxes } from './checks/outboxes.ts';
import { checkSample } from './checks/processor.ts';
import { checkServices, unreachableBroker, unreachableDatabase } from './checks/reachability.ts';
import { checkForeignRights, checkRolePowers } from './checks/rights.ts';
import { checkStream } from './checks/stream.ts';
import { checkDeletedCustomers, checkPeriods } from './checks/subscriptions.ts';
import { checkVersions } from './checks/versions.ts';
import type { Finding, Limits } from './finding.ts';
import type { System } from './find-system.ts';
import { openReadOnly, type ReadOnlyDatabase } from './read/database.ts';
import { readUncounted, readWrongMetrics } from './read/metrics.ts';
import { readMigrations } from './read/migrations.ts';
import { openProcessors, readSample } from './read/processor.ts';
import { readServices } from './read/reachability.ts';
import { readForeignRights, readRolePowers } from './read/rights.ts';
import { declaredConsumers, readOldNats, readStream } from './read/stream.ts';
import { readEndedPeriods, readOfDeletedCustomers } from './read/subscriptions.ts';
import { readClock, readPostgresVersion } from './read/postgres.ts';
import { readDeadLetters, readOutbox, readOverdue } from './read/work.ts';

/** What an examination came to. */
export interface Report {
  readonly findings: readonly Finding[];
  /** Checks that were not made, and why: what they need was not given, or is unreachable. */
  readonly notChecked: readonly { readonly what: string; readonly why: string }[];
  /** Checks that failed themselves. */
  readonly failed: readonly { readonly what: string; readonly why: string }[];
}

/** Examines a system, and changes nothing in it. */
export async function examine(system: System, limits: Limits): Promise<Report> {
  await using resources = new AsyncDisposableStack();
  const findings: Finding[] = [];
  const notChecked: Report['notChecked'][number][] = [];
  const failed: Report['failed'][number][] = [];
  const run = async (what: string, check: () => Promise<readonly Finding[]>): Promise<void> => {
    try {
      findings.push(...(await check()));
    } catch (err) {
      failed.push({ what, why: messageOf(err) });
    }
  };
  const skip = (what: string, why: string): void => void notChecked.push({ what, why });

  const { databases, unreachable } = await openDatabases(system.databases, resources);
  findings.push(...unreachable);
  const [any] = databases;
  const databaseOf = (service: ServiceName) => databases.find(database => database.service === service);
  const nats = await openNats(system, resources);
  if (nats && 'check' in nats) findings.push(nats);
  const connection = nats && !('check' in nats) ? nats : null;

  const services = await readServices(system.services);
  findings.push(...checkServices(services));
  if (services.length === 0) skip('services', 'set GATEWAY_URL, CATALOG_URL, …');
  await run('versions', async () =>
    checkVersions({
      node: process.versions.node,
      postgres: any ? await readPostgresVersion(any) : null,
      oldNats: connection && readOldNats(connection, brokerAddress(system.natsUrl ?? '').host),
    }),
  );
  await run('clocks', async () => {
    const ofServices = services.flatMap(({ service: name, clockOffsetMs: aheadMs }) =>
      aheadMs === null ? [] : [{ name, aheadMs }],
    );
    return checkClocks([...(any ? [await readClock(any)] : []), ...ofServices], limits);
  });
  if (any) {
    await run('rights', async () => checkForeignRights(await readForeignRights(any)));
    await run('roles', async () => checkRolePowers(await readRolePowers(any)));
  }
  if (connection)
    await run('stream', async () => {
      const { stream, consumers } = await readStream(connection);
      return [...checkStream(stream, RETENTION_MS, limits), ...checkConsumers(consumers, declaredConsumers(), limits)];
    });
  else skip('stream and consumers', system.natsUrl ? 'NATS is unreachable' : 'set ADMIN_NATS_URL');
  for (const database of databases) {
    const { service } = database;
    await run(`migrations of ${service}`, async () => checkMigrations([await readMigrations(database)]));
    await run(`outbox of ${service}`, async () => checkOutboxes([await readOutbox(database)], limits));
    await run(`dead letters of ${service}`, async () => checkDeadLetters(await readDeadLetters(database)));
    await run(`leases of ${service}`, async () => checkLeases(await readOverdue(database), limits));
  }

  const subscriptions = databaseOf('subscriptions');
  const analytics = databaseOf('analytics');
  if (subscriptions) {
    await run('deleted customers', async () =>
      checkDeletedCustomers(await readOfDeletedCustomers(subscriptions, limits)),
    );
    await run('periods', async () => checkPeriods(await readEndedPeriods(subscriptions), limits));
  }
  if (analytics) {
    await run('metrics', async () => checkMetrics(await readWrongMetrics(analytics)));
    await run('counted records', async () => checkUncounted(await readUncounted(analytics, databases, limits)));
  }
  const { processor } = system;
  if (!subscriptions) skip('subscriptions, against the processor', 'the database of subscriptions is not known');
  else if (!processor)
    skip('subscriptions, against the processor', 'set SUBSCRIPTIONS_SERVICE_KEY and SUBSCRIPTIONS_NATS_URL');
  else if (!connection) skip('subscriptions, against the processor', 'NATS is unreachable');
  else
    await run('subscriptions, against the processor', async () => {
      const except = findings.map(({ subject }) => subject);
      const processors = await openProcessors(processor, resources);
      const { compared, unread } = await readSample(subscriptions, processors, limits, except);
      for (const { id, why } of unread) skip(`${id}, against the processor`, why);
      return checkSample(compared);
    });
  return { findings, notChecked, failed };
}

async function openDatabases(urls: System['databases'], resources: AsyncDisposableStack) {
  const databases: ReadOnlyDatabase[] = [];
  const unreachable: Finding[] = [];
  for (const [service, url] of urls) {
    try {
      databases.push(resources.use(await openReadOnly(service, url)));
    } catch (err) {
      unreachable.push(unreachableDatabase(service, messageOf(err)));
    }
  }
  return { databases, unreachable };
}

async function openNats(
  { natsUrl }: System,
  resources: AsyncDisposableStack,
): Promise<NatsConnection | Finding | null> {
  if (natsUrl === null) return null;
  try {
    return resources.adopt(await connectTo(brokerAddress(natsUrl), 'doctor'), it => it.close());
  } catch (err) {
    return unreachableBroker(messageOf(err));
  }
}

const messageOf = (err: unknown): string => {
  if (err instanceof AggregateError) return messageOf(err.errors[0]);
  return err instanceof Error ? err.message : String(err);
};
