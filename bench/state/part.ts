import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { findServers } from '@billing/local-system/running-system';
import { Client } from 'pg';
import { newApiKey } from '../load/api-key.ts';
import { startBareServer } from '../load/bare-server.ts';
import { startBenchSystem } from '../load/bench-system.ts';
import { fetchJson, getRequest, rateOf, requireOk, startRequestLoad, type RequestLoad } from '../load/request-load.ts';
import type { Part, PartOptions, Result } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { median, quantile } from '../statistics.ts';
import { newTenant } from '../tenant.ts';
import { idOf, insertRecords } from './records.ts';

const CUSTOMERS = 100_000;
/** Customers whose state is read in turn: each request asks for another one. */
const ASKED = 2_000;
const COMPARED = 60;
const CONNECTIONS = 32;
const PER_SECOND = 200;
const ROUND_MS = 5_000;
const GOAL = { p99Ms: 25, ratio: 0.4 };

type SideName = 'whole' | 'unchanged' | 'plain' | 'prepared';

/** One way to read states: whole requests, and the status that each gets. */
interface Side {
  readonly origin: string;
  readonly requests: readonly string[];
  readonly status: number;
}

/** What one side reaches in one round: as many requests as it can, and latencies at a steady rate. */
interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Reads the states of customers through the gateway, with and without a tag, and with plain SQL behind a bare route. */
export const state: Part = { name: 'state', measure };

async function measure({ rounds, scale }: PartOptions): Promise<Result[]> {
  await using resources = new AsyncDisposableStack();
  const bench = resources.use(await startBenchSystem());
  const tenant = await newTenant(bench.system);
  const { teamId, projectId } = tenant;
  const { databaseUrl } = findServers(bench.dataDir, 'subscriptions');
  const customers = Math.max(ASKED, CUSTOMERS / scale);
  const database = resources.adopt(new Client({ connectionString: databaseUrl }), it => it.end());
  await database.connect();
  await insertRecords(database, tenant, customers);
  const bare = resources.use(
    await startBareServer(join(import.meta.dirname, 'bare-server.ts'), [databaseUrl, teamId, projectId]),
  );
  const headers = { authorization: `Bearer ${await newApiKey(bench.dataDir, tenant)}` };
  const ours = `${bench.gatewayUrl}/api/service/teams/${teamId}/projects/${projectId}`;
  const asked = Array.from({ length: ASKED }, (_, index) => idOf('pc', 1 + Math.floor((index * customers) / ASKED)));
  const urlOf = (base: string, id: string) => `${base}/customers/${id}/state`;
  for (const id of asked.slice(0, COMPARED))
    deepStrictEqual(
      await stateAt(urlOf(ours, id), headers),
      await stateAt(urlOf(bare.url, id)),
      'Both sides must return the same state.',
    );

  const tags = await Promise.all(asked.map(id => tagAt(urlOf(ours, id), headers)));
  const sides: Record<SideName, Side> = {
    whole: {
      origin: bench.gatewayUrl,
      requests: asked.map(id => getRequest(urlOf(ours, id), headers)),
      status: 200,
    },
    unchanged: {
      origin: bench.gatewayUrl,
      requests: asked.map((id, index) =>
        getRequest(urlOf(ours, id), { ...headers, 'if-none-match': tags[index] ?? '' }),
      ),
      status: 304,
    },
    plain: { origin: bare.url, requests: asked.map(id => getRequest(urlOf(bare.url, id))), status: 200 },
    prepared: {
      origin: bare.url,
      requests: asked.map(id => getRequest(urlOf(`${bare.url}/prepared`, id))),
      status: 200,
    },
  };
  const load = resources.use(startRequestLoad());
  const measured: Record<SideName, Measured>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const of = {
      whole: await measureOne(load, sides.whole, ROUND_MS / scale),
      unchanged: await measureOne(load, sides.unchanged, ROUND_MS / scale),
      plain: await measureOne(load, sides.plain, ROUND_MS / scale),
      prepared: await measureOne(load, sides.prepared, ROUND_MS / scale),
    };
    const name = round === 0 ? 'warm-up' : `round ${round}`;
    console.log(`${name}: ${describeRates('states/s', of.whole.perSecond, of.plain.perSecond)}`);
    for (const [side, { perSecond, p50, p99 }] of Object.entries(of))
      console.log(`  ${side}: ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    if (round > 0) measured.push(of);
  }
  return resultsOf(measured);
}

async function measureOne(
  load: RequestLoad,
  { origin, requests, status }: Side,
  durationMs: number,
): Promise<Measured> {
  const job = { origin, requests, durationMs };
  const fast = requireOk(await load.send({ ...job, pace: { connections: CONNECTIONS } }), status);
  const steady = requireOk(await load.send({ ...job, pace: { perSecond: PER_SECOND } }), status);
  const latencies = steady.map(({ ms }) => ms);
  return { perSecond: rateOf(fast), p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

function resultsOf(measured: readonly Record<SideName, Measured>[]): Result[] {
  const medianOf = (of: (it: (typeof measured)[number]) => number) => median(measured.map(of));
  const latency = (of: SideName) =>
    `${medianOf(it => it[of].p50).toFixed(1)} and ${medianOf(it => it[of].p99).toFixed(1)} ms`;
  const other = 'bare Fastify and pg, no authentication';
  const [whole, unchanged] = [medianOf(it => it.whole.p99), medianOf(it => it.unchanged.p99)];
  return [
    compareRates({
      what: 'GET of the state of a customer, requests/s',
      ours: measured.map(it => it.whole.perSecond),
      theirs: measured.map(it => it.plain.perSecond),
      other,
      atLeast: GOAL.ratio,
    }),
    compareRates({
      what: 'GET of the state of a customer, requests/s',
      ours: measured.map(it => it.whole.perSecond),
      theirs: measured.map(it => it.prepared.perSecond),
      other: 'the same with a prepared statement',
      atLeast: GOAL.ratio,
    }),
    {
      what: `p50 and p99 of it at ${PER_SECOND} requests/s`,
      billing: latency('whole'),
      against: `${latency('plain')} (${other})`,
      goal: `p99 at most ${GOAL.p99Ms} ms`,
      isReached: whole <= GOAL.p99Ms,
    },
    compareRates({
      what: 'GET of a state that the caller has, requests/s',
      ours: measured.map(it => it.unchanged.perSecond),
      theirs: measured.map(it => it.whole.perSecond),
      other: 'GET of it whole',
      atLeast: 1,
    }),
    {
      what: `p50 and p99 of it at ${PER_SECOND} requests/s`,
      billing: latency('unchanged'),
      against: `${latency('whole')} (GET of it whole)`,
      goal: `p99 at most ${GOAL.p99Ms} ms`,
      isReached: unchanged <= GOAL.p99Ms,
    },
  ];
}

/** Returns a state without the time at which it was computed. */
async function stateAt(url: string, headers?: Readonly<Record<string, string>>): Promise<unknown> {
  const { state: found } = (await fetchJson(url, headers)) as { state: Record<string, unknown> }; // both sides return it
  const { asOf: _, ...rest } = found;
  return rest;
}

async function tagAt(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  const tag = response.headers.get('etag');
  if (tag === null) throw new Error(`GET ${url} got ${response.status} without a tag.`);
  return tag;
}
