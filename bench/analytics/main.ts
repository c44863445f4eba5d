import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { startLocalSystem } from '@billing/local-system';
import { findServers } from '@billing/local-system/running-system';
import { z } from 'zod';
import { newTenant, type Tenant } from '../webhooks/tenant.ts';
import { measureByTurns, quantile } from './measure.ts';
import { populationOf } from './population.ts';
import { openReadModel, type ReadModel } from './read-model.ts';

/** Customers and subscriptions of each project. */
const SMALL = 1_000;
const LARGE = 1_000_000;
/** So many different ones the large project is copied from. */
const DIFFERENT = 20_000;
const WARM_UP = 50;

const ASKED: readonly { readonly path: string; readonly ask: (of: Tenant) => Promise<unknown> }[] = [
  { path: 'GET P/analytics', ask: of => of.billing.analytics.get() },
  { path: 'GET P/analytics?growthDays=365', ask: of => of.billing.analytics.get({ growthDays: 365 }) },
  { path: 'GET P/analytics/history?days=365', ask: of => of.billing.analytics.history({ days: 365 }) },
];

/** Loads a small and a large project into the read model of a whole system, and asks for the figures of both by turns. */
async function measure(requests: number): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-bench-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  // All requests are made with two keys.
  process.env['RATE_LIMIT_PER_KEY'] ??= '10000000';
  const system = resources.use(await startLocalSystem({ dataDir, logLevel: 'warn' }));
  const model = resources.use(await openReadModel(findServers(dataDir, 'analytics').databaseUrl));
  const small = await newTenant(system.gatewayUrl, system.processorUrl ?? '');
  const large = await newTenant(system.gatewayUrl, system.processorUrl ?? '');

  const now = new Date();
  await requireSameRows(model, now);
  await load(model, { small: scopeOf(small), large: scopeOf(large) }, now);
  await describe(model, { small, large });

  console.log(`\n${requests} requests each, by turns; ms        p50                       p99`);
  console.log(`${''.padEnd(34)}${HEADING}${HEADING}`);
  for (const { path, ask } of ASKED) {
    const asks = [() => ask(small), () => ask(large)] as const;
    const [ofSmall, ofLarge] = await measureByTurns(...asks, { warmUp: WARM_UP, requests });
    const columns = [0.5, 0.99].map(share => pair(quantile(ofSmall, share), quantile(ofLarge, share)));
    console.log(`${path.padEnd(34)}${columns.join('')}`);
  }
}

/**
 * Shows that rows copied under other ids are the very same that states under these ids make by the path of facts.
 * @throws Error when they are not
 */
async function requireSameRows(model: ReadModel, now: Date): Promise<void> {
  const [source, copied, followed] = [newScope(), newScope(), newScope()];
  const seeds = upTo(SMALL / 10);
  await model.follow(populationOf({ ...source, now }, seeds));
  await model.copy(source, copied, 10);
  for (let copy = 1; copy <= 10; copy += 1) await model.follow(populationOf({ ...followed, now, copy }, seeds));
  if ((await model.fingerprint(copied)) !== (await model.fingerprint(followed)))
    throw new Error('Rows that are copied differ from rows that are made by the path of facts.');
  console.log(`${SMALL} customers and subscriptions, copied and followed: the same rows`);
}

async function load(model: ReadModel, { small, large }: Record<'small' | 'large', ProjectScope>, now: Date) {
  const source = newScope();
  const startedAt = performance.now();
  await model.follow(populationOf({ ...small, now }, upTo(SMALL)));
  await model.follow(populationOf({ ...source, now }, upTo(DIFFERENT)));
  const followedIn = (performance.now() - startedAt) / 1_000;
  const rate = ((SMALL + DIFFERENT) * 2) / followedIn;
  console.log(
    `${SMALL + DIFFERENT} customers and subscriptions followed in ${followedIn.toFixed(1)} s, ${rate.toFixed(0)}/s`,
  );
  await model.copy(source, large, LARGE / DIFFERENT);
  await model.settle();
}

async function describe(model: ReadModel, tenants: Record<'small' | 'large', Tenant>): Promise<void> {
  for (const [name, tenant] of Object.entries(tenants)) {
    const { customers, subscriptions, figures } = await model.sizes(scopeOf(tenant));
    console.log(`${name}: ${customers} customers, ${subscriptions} subscriptions, ${figures} rows of figures`);
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const newScope = (): ProjectScope => ({ teamId: TeamId.create(), projectId: ProjectId.create() });
const scopeOf = ({ teamId, projectId }: Tenant): ProjectScope => ({
  teamId: TeamId.schema.parse(teamId),
  projectId: ProjectId.schema.parse(projectId),
});

const HEADING = '   small   large   ratio  ';
const pair = (small: number, large: number) =>
  `${small.toFixed(2).padStart(8)}${large.toFixed(2).padStart(8)}${(large / small).toFixed(2).padStart(8)}  `;

const { values } = parseArgs({ options: { requests: { type: 'string', default: '500' } } });
await measure(z.coerce.number().int().min(1).parse(values.requests));
