import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { startLocalSystem } from '@billing/local-system';
import { findServers } from '@billing/local-system/running-system';
import { z } from 'zod';
import { quantile } from '../statistics.ts';
import { newTenant, type Tenant } from '../tenant.ts';
import { generateObservations } from './generate-observations.ts';
import { measureInTurn } from './measure-in-turn.ts';
import { openReadModel, type ReadModel } from './read-model.ts';

/** Customers and subscriptions of each project. */
const SMALL = 1_000;
const LARGE = 1_000_000;
/** Distinct records; the large project consists of copies of them. */
const DISTINCT = 20_000;
const WARM_UP = 50;

const REQUESTS: readonly { readonly path: string; readonly send: (tenant: Tenant) => Promise<unknown> }[] = [
  { path: 'GET P/analytics', send: ({ billing }) => billing.analytics.get() },
  { path: 'GET P/analytics?growthDays=365', send: ({ billing }) => billing.analytics.get({ growthDays: 365 }) },
  { path: 'GET P/analytics/history?days=365', send: ({ billing }) => billing.analytics.history({ days: 365 }) },
];

/** Loads a small and a large project into the read model of a whole system, and requests the analytics of both in turn. */
async function measure(requests: number): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-bench-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  // Two API keys send all requests.
  process.env['RATE_LIMIT_PER_KEY'] ??= '10000000';
  const system = resources.use(await startLocalSystem({ dataDir, logLevel: 'warn' }));
  const model = resources.use(await openReadModel(findServers(dataDir, 'analytics').databaseUrl));
  const small = await newTenant(system);
  const large = await newTenant(system);

  const now = new Date();
  await requireSameRows(model, now);
  await load(model, { small: scopeOf(small), large: scopeOf(large) }, now);
  await describe(model, { small, large });

  console.log(`\n${requests} requests each, in turn; ms        p50                       p99`);
  console.log(`${''.padEnd(34)}${HEADING}${HEADING}`);
  for (const { path, send } of REQUESTS) {
    const sides = [() => send(small), () => send(large)] as const;
    const [ofSmall, ofLarge] = await measureInTurn(...sides, { warmUp: WARM_UP, requests });
    const columns = [0.5, 0.99].map(fraction => pair(quantile(ofSmall, fraction), quantile(ofLarge, fraction)));
    console.log(`${path.padEnd(34)}${columns.join('')}`);
  }
}

/**
 * Checks that copied rows equal the rows that observations under the copied ids create.
 * @throws Error when they differ
 */
async function requireSameRows(model: ReadModel, now: Date): Promise<void> {
  const [source, copied, applied] = [newScope(), newScope(), newScope()];
  const seeds = upTo(SMALL / 10);
  await model.apply(generateObservations({ ...source, now }, seeds));
  await model.copy(source, copied, 10);
  for (let copy = 1; copy <= 10; copy += 1) await model.apply(generateObservations({ ...applied, now, copy }, seeds));
  if ((await model.fingerprint(copied)) !== (await model.fingerprint(applied)))
    throw new Error('Copied rows differ from applied rows.');
  console.log(`${SMALL} customers and subscriptions: copied and applied rows are equal`);
}

async function load(model: ReadModel, { small, large }: Record<'small' | 'large', ProjectScope>, now: Date) {
  const source = newScope();
  const startedAt = performance.now();
  await model.apply(generateObservations({ ...small, now }, upTo(SMALL)));
  await model.apply(generateObservations({ ...source, now }, upTo(DISTINCT)));
  const seconds = (performance.now() - startedAt) / 1_000;
  const rate = ((SMALL + DISTINCT) * 2) / seconds;
  console.log(
    `${SMALL + DISTINCT} customers and subscriptions applied in ${seconds.toFixed(1)} s, ${rate.toFixed(0)}/s`,
  );
  await model.copy(source, large, LARGE / DISTINCT);
  await model.vacuum();
}

async function describe(model: ReadModel, tenants: Record<'small' | 'large', Tenant>): Promise<void> {
  for (const [name, tenant] of Object.entries(tenants)) {
    const { customers, subscriptions, metrics } = await model.countRows(scopeOf(tenant));
    console.log(`${name}: ${customers} customers, ${subscriptions} subscriptions, ${metrics} metric rows`);
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
