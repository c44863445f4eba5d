import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { findServers } from '@billing/local-system/running-system';
import { startBenchSystem } from '../load/bench-system.ts';
import type { Part, PartOptions, Result } from '../part.ts';
import { median, quantile } from '../statistics.ts';
import { newTenant, type Tenant } from '../tenant.ts';
import { load } from './load.ts';
import { measureInTurn } from './measure-in-turn.ts';
import { openPlainTables, type PlainTables } from './plain-tables.ts';
import { openReadModel } from './read-model.ts';

/** Customers and subscriptions of each project. */
const SMALL = 1_000;
const LARGE = 1_000_000;
const DISTINCT = 20_000;
const WARM_UP = 50;
const REQUESTS_PER_ROUND = 200;
const AGGREGATES_PER_ROUND = 5;
const GOAL = { p99Ms: 25, flat: 1.2, faster: 100 };

const REQUESTS: readonly { readonly path: string; readonly send: (tenant: Tenant) => Promise<unknown> }[] = [
  { path: 'GET P/analytics', send: ({ billing }) => billing.analytics.get() },
  { path: 'GET P/analytics?growthDays=365', send: ({ billing }) => billing.analytics.get({ growthDays: 365 }) },
  { path: 'GET P/analytics/history?days=365', send: ({ billing }) => billing.analytics.history({ days: 365 }) },
];

/** One path in one round, in milliseconds. */
interface Measured {
  readonly small: number;
  readonly large: number;
  readonly largeP99: number;
}

/**
 * Requests the analytics of a small and a large project in turn, through the gateway with an API key, and computes the
 * same metrics of the large one by SQL over its rows.
 */
export const analytics: Part = { name: 'analytics', measure };

async function measure({ rounds, scale }: PartOptions): Promise<Result[]> {
  await using resources = new AsyncDisposableStack();
  const { system, dataDir } = resources.use(await startBenchSystem());
  const { databaseUrl } = findServers(dataDir, 'analytics');
  const model = resources.use(await openReadModel(databaseUrl));
  const tables = resources.use(await openPlainTables(databaseUrl));
  const tenants = { small: await newTenant(system), large: await newTenant(system) };
  const scopes = { small: scopeOf(tenants.small), large: scopeOf(tenants.large) };
  const distinct = Math.min(DISTINCT, Math.ceil(LARGE / scale));
  const copies = Math.ceil(LARGE / scale / distinct);
  await load({ model, tables }, scopes, { small: SMALL, distinct, copies });
  for (const name of ['small', 'large'] as const) {
    const { customers, subscriptions, metrics } = await model.countRows(scopes[name]);
    console.log(`${name}: ${customers} customers, ${subscriptions} subscriptions, ${metrics} metric rows`);
    await requireSameMetrics(tables, tenants[name]);
  }

  const measured: Measured[] = [];
  const aggregates: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [first] = await measurePaths(tenants, round);
    if (first) measured.push(first);
    const aggregate = await measureAggregate(tables, scopes.large);
    console.log(`round ${round}: plain SQL ${aggregate.toFixed(1)} ms`);
    aggregates.push(aggregate);
  }
  return toResults(measured, aggregates, distinct * copies);
}

async function measurePaths({ small, large }: Record<'small' | 'large', Tenant>, round: number): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { path, send } of REQUESTS) {
    const warmUp = round === 1 ? WARM_UP : 0;
    const requests = REQUESTS_PER_ROUND;
    const sides = [() => send(small), () => send(large)] as const;
    const [ofSmall, ofLarge] = await measureInTurn(...sides, { warmUp, requests });
    const latencies = {
      small: median(ofSmall),
      large: median(ofLarge),
      largeP99: quantile(ofLarge, 0.99),
    };
    console.log(
      `round ${round}: ${path} p50 ${latencies.small.toFixed(2)} ms small, ${latencies.large.toFixed(2)} ms large, p99 ${latencies.largeP99.toFixed(2)} ms`,
    );
    measured.push(latencies);
  }
  return measured;
}

async function measureAggregate(tables: PlainTables, scope: ProjectScope): Promise<number> {
  const latencies: number[] = [];
  for (let turn = 0; turn < AGGREGATES_PER_ROUND; turn += 1) {
    const startedAt = performance.now();
    await tables.aggregate(scope);
    latencies.push(performance.now() - startedAt);
  }
  return median(latencies);
}

function toResults(rounds: readonly Measured[], aggregates: readonly number[], amount: number): Result[] {
  const p99 = median(rounds.map(it => it.largeP99));
  const [small, large] = [median(rounds.map(it => it.small)), median(rounds.map(it => it.large))];
  const aggregate = median(aggregates);
  const subscriptions = amount.toLocaleString('en');
  return [
    {
      what: `GET P/analytics, ${subscriptions} subscriptions, p99`,
      billing: `${p99.toFixed(1)} ms`,
      against: '-',
      goal: `at most ${GOAL.p99Ms} ms`,
      isReached: p99 <= GOAL.p99Ms,
    },
    {
      what: `GET P/analytics, ${subscriptions} subscriptions, p50`,
      billing: `${large.toFixed(2)} ms`,
      against: `${small.toFixed(2)} ms (${SMALL.toLocaleString('en')} subscriptions)`,
      ratio: large / small,
      goal: `at most ${GOAL.flat} ×`,
      isReached: large / small <= GOAL.flat,
    },
    {
      what: `analytics of ${subscriptions} subscriptions, p50`,
      billing: `${large.toFixed(2)} ms`,
      against: `${aggregate.toFixed(0)} ms (plain SQL aggregate)`,
      ratio: aggregate / large,
      goal: `at least ${GOAL.faster} × faster`,
      isReached: aggregate / large >= GOAL.faster,
    },
  ];
}

/** @throws Error unless the API shows what SQL computes from the plain rows */
async function requireSameMetrics(tables: PlainTables, tenant: Tenant): Promise<void> {
  const { mrr, customerCount: customers, churnRate } = await tenant.billing.analytics.get();
  const plain = await tables.aggregate(scopeOf(tenant));
  // The window moves on between both, which can change the rate in its last digit.
  const isSame = mrr === plain.mrr && customers === plain.customers && Math.abs(churnRate - plain.churnRate) < 0.015;
  if (isSame) return;
  const shown = JSON.stringify({ mrr, customers, churnRate });
  throw new Error(`The API shows ${shown}, SQL computes ${JSON.stringify(plain)}.`);
}

const scopeOf = ({ teamId, projectId }: Tenant): ProjectScope => ({
  teamId: TeamId.schema.parse(teamId),
  projectId: ProjectId.schema.parse(projectId),
});
