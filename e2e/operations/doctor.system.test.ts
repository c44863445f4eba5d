import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AckPolicy, DeliverPolicy, DiscardPolicy, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { SERVICES } from '@billing/contracts/operation';
import { describeRunningSystem } from '@billing/local-system/running-system';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { drain } from '../system/drain.ts';
import { newDeadLetter } from '../system/failed-events.ts';
import { setService } from '../system/running-system.ts';
import { superuserUrl, withClient } from '../system/servers.ts';
import { startSystem, type StartedSystem } from '../system/start-system.ts';
import { startTraffic } from '../system/tenant-life.ts';
import { newCustomer, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../system/tenant.ts';

const MAIN = join(import.meta.dirname, '../../tools/doctor/src/main.ts');
const SKEWED_CLOCK = join(import.meta.dirname, '../faults/system/skewed-clock.ts');
const STREAM = 'BILLING';

const named = z.array(z.object({ what: z.string(), why: z.string() }));
const report = z.object({
  findings: z.array(
    z.object({ check: z.string(), subject: z.string(), problem: z.string(), action: z.string().min(10) }),
  ),
  notChecked: named,
  failed: named,
});

let system: StartedSystem;
let folder: string;
let tenant: Tenant;
/** Another team, whose metrics are wrong in another way. */
let other: Tenant;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-doctor-'));
  // What a webhook did not bring must stay missing until it is found.
  system = await startSystem({ RECONCILE_INTERVAL_SECONDS: '86400' });
  [tenant, other] = [await newTenant(system), await newTenant(system)];
});
afterAll(async () => {
  await system.stop();
  await rm(folder, { recursive: true });
});

/** Runs the command; returns its exit code and what it printed. */
async function run(args: readonly string[] = [], variables: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, BILLING_DATA_DIR: system.dataDir, ...variables };
  try {
    return { code: 0, text: (await promisify(execFile)(process.execPath, [MAIN, ...args], { env })).stdout };
  } catch (err) {
    const { code, stdout, stderr } = z.object({ code: z.int(), stdout: z.string(), stderr: z.string() }).parse(err);
    return { code, text: stdout || stderr };
  }
}

async function examine(args: readonly string[] = [], variables: Readonly<Record<string, string>> = {}) {
  const { code, text } = await run(['--json', ...args], variables);
  return { code, ...report.parse(JSON.parse(text)) };
}

/** Runs SQL as the superuser; returns how many rows it was about. */
const sql = async (statement: string, values: readonly unknown[] = []): Promise<number | null> =>
  withClient(await superuserUrl(system.dataDir), async client => (await client.query(statement, [...values])).rowCount);

it('finds nothing in a healthy system under traffic', async () => {
  const traffic = startTraffic(tenant);
  try {
    await traffic.untilSubscribed(3);
    const [examined] = await Promise.all([examine(), traffic.untilSubscribed(1)]);
    expect(examined).toEqual({ code: 0, findings: [], notChecked: [], failed: [] });
    expect(await run()).toEqual({ code: 0, text: 'nothing is wrong\n' });
  } finally {
    await traffic.stop();
  }
});

it('finds a system by its variables, and says what it was not told', async () => {
  const { databaseUrls, natsUrls, urls, serviceKeys } = describeRunningSystem(system.dataDir);
  const nowhere = { BILLING_DATA_DIR: folder };
  const ofServices = (suffix: string, urlOf: Readonly<Record<string, string>>) =>
    Object.fromEntries(SERVICES.map(service => [`${service.toUpperCase()}_${suffix}`, urlOf[service] ?? '']));
  const ofDatabases = { ...nowhere, ...ofServices('DATABASE_URL', databaseUrls) };
  const everything = {
    ...ofDatabases,
    ...ofServices('URL', urls),
    ADMIN_NATS_URL: natsUrls.admin,
    SUBSCRIPTIONS_NATS_URL: natsUrls.services.subscriptions,
    SUBSCRIPTIONS_SERVICE_KEY: serviceKeys.subscriptions,
    STRIPE_API_BASE_URL: urls['processor'] ?? '',
  };
  expect(await examine([], everything)).toEqual({ code: 0, findings: [], notChecked: [], failed: [] });

  const partly = await examine([], { ...nowhere, ADMIN_DATABASE_URL: await superuserUrl(system.dataDir) });
  expect({ ...partly, notChecked: partly.notChecked.map(({ what }) => what) }).toEqual({
    code: 0,
    findings: [],
    notChecked: ['services', 'stream and consumers', 'subscriptions, against the processor'],
    failed: [],
  });

  const locked = new URL(databaseUrls.portal);
  locked.password = 'wrong';
  const { code, findings } = await examine([], { ...ofDatabases, PORTAL_DATABASE_URL: locked.href });
  expect({ code, findings }).toMatchObject({
    code: 1,
    findings: [{ check: 'database-unreachable', subject: 'portal' }],
  });
});

it('finds each of 14 faults, and nothing else', async () => {
  const { priceId } = await newMonthlyPrice(tenant);
  const unit = await newMonthlyPrice(tenant);
  const [ended, changed, deleted] = [
    await newSubscription(tenant, priceId),
    await newSubscription(tenant, priceId),
    await newSubscription(tenant, priceId),
  ];
  const miscounted = await newCustomer(other);
  await drain(tenant);

  // Those that the system itself takes part in come first, while every service runs.
  await newDeadLetter(tenant);
  await tenant.billing.customers.delete(deleted.customerId);
  await tenant.processor.setDeliveryRules({ hold: true });
  const { items } = await tenant.callProcessor(`/v1/subscriptions/${changed.processorSubscriptionId}`);
  const { processorPriceId } = await tenant.billing.prices.get(unit.priceId);
  await tenant.callProcessor(`/v1/subscriptions/${changed.processorSubscriptionId}`, {
    'items[0][id]': items.data[0].id,
    'items[0][price]': processorPriceId ?? '',
  });
  /** Everything is handled, and the customer has been deleted for long enough. */
  const isSettled = async () => {
    const checks = (await examine(['--waiting', '10', '--sample', '0'])).findings.map(({ check }) => check);
    return (
      checks.includes('deleted-customer-billed') && !checks.some(check => /outbox|consumer|lease|behind/.test(check))
    );
  };
  await waitFor(isSettled, { what: 'the system to settle', intervalMs: 500 });

  await setService('referrals', 'stop', system.dataDir);
  await sql(
    `insert into referrals.outbox_messages (id, type, team_id, body, events, trace, created_at, due_at)
     values ($1, 'record.referral.created.v1', $2, '[]', 1, '{}', now() - interval '1 hour', now())`,
    [randomUUID(), tenant.teamId],
  );
  await sql(
    `insert into referrals.remote_operations
            (id, team_id, project_id, kind, resource_id, input, key_version, attempts, due_at, lease_id, created_at)
     values ($1, $2, $3, 'credit', 'ref_1', '{}', 1, 1, now() - interval '1 hour', gen_random_uuid(), now())`,
    [randomUUID(), tenant.teamId, tenant.projectId],
  );
  await sql(`grant usage on schema customers to billing_catalog`);
  await sql(`delete from portal.migrations where name = '0001-create-portal'`);
  expect(
    await sql(
      `update analytics.metrics set amount = amount + 1
        where project_id = $1 and metric = 'customers' and bucket = ''`,
      [tenant.projectId],
    ),
  ).toBe(1);
  // The sums stay right: only the customers' owner shows that the record is counted three times.
  await sql(
    `update analytics.tracked_records
        set contributions = replace(contributions::text, '["customers","","1"]', '["customers","","3"]')::json
      where id = $1`,
    [miscounted],
  );
  await sql(`update analytics.metrics set amount = 3 where project_id = $1 and metric = 'customers'`, [
    other.projectId,
  ]);
  await sql(`update subscriptions.subscriptions set current_period_end = now() - interval '40 days' where id = $1`, [
    ended.id,
  ]);
  await spoilStream();
  const skew = join(folder, 'skew');
  await writeFile(skew, '120000');

  const { code, findings, notChecked, failed } = await examine(['--waiting', '10', '--sample', '1000'], {
    NODE_OPTIONS: `--import=${SKEWED_CLOCK}`,
    CLOCK_SKEW_FILE: skew,
  });
  const unread = [{ what: 'the work of portal', why: 'its schema is not up to date' }];
  expect({ code, notChecked, failed }).toEqual({ code: 1, notChecked: unread, failed: [] });
  expect(findings.map(({ check, subject }) => `${check} ${subject}`).toSorted()).toEqual(
    [
      'service-unreachable referrals',
      'stream-loses-events BILLING',
      'consumer-behind catalog-products-old',
      'outbox-old referrals',
      'dead-letters subscriptions',
      'lease-expired referrals.remote_operations',
      'role-sees-other-schema billing_catalog',
      'migration-pending portal',
      `metrics-wrong ${tenant.projectId}`,
      `metrics-wrong ${other.projectId}`,
      `deleted-customer-billed ${deleted.customerId}`,
      `period-ended-long-ago ${ended.id}`,
      `processor-differs ${changed.id}`,
      'clock-differs this machine',
    ].toSorted(),
  );
});

it('says that it could not run, by its exit code', async () => {
  const elsewhere = await run([], { BILLING_DATA_DIR: folder });
  expect(elsewhere).toEqual({ code: 2, text: expect.stringContaining('No system runs in') });
  expect(await run(['--waiting', 'long'])).toEqual({ code: 2, text: expect.stringContaining('Usage') });
});

/** Lets the stream lose events when it is full, and leaves a consumer behind that no service of this version reads. */
async function spoilStream(): Promise<void> {
  const { username, password, host } = new URL(describeRunningSystem(system.dataDir).natsUrls.admin);
  const nats = await connect({ servers: host, user: username, pass: password });
  try {
    const jsm = await jetstreamManager(nats);
    await jsm.streams.update(STREAM, { discard: DiscardPolicy.Old });
    await jsm.consumers.add(STREAM, {
      durable_name: 'catalog-products-old',
      filter_subject: 'billing.record.product.*.v1',
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
    });
  } finally {
    await nats.close();
  }
}
