import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { findServers } from '@billing/local-system/running-system';
import { connectTo } from '../database.ts';
import { newApiKey } from '../load/api-key.ts';
import { startOtherSide } from '../load/other-side.ts';
import { startBenchSystem } from '../load/bench-system.ts';
import { measureReads, PER_SECOND, ROUND_MS, type Measured, type Reads } from '../load/reads.ts';
import { fetchJson, getRequest, startRequestLoad } from '../load/request-load.ts';
import type { Part, PartOptions, Result } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { measureRounds } from '../rounds.ts';
import { median } from '../statistics.ts';
import { newTenant } from '../tenant.ts';
import { idOf, insertRecords } from './records.ts';

const CUSTOMERS = 100_000;
/** Customers whose state is read in turn: each request is of another one. */
const READ = 2_000;
const COMPARED = 60;
const GOAL = { p99Ms: 25, ratio: 0.4 };

type SideName = 'whole' | 'unchanged' | 'plain' | 'prepared';

/** What each side reaches in one round. */
type Round = Record<SideName, Measured>;

/** Reads the states of customers through the gateway, with and without a tag, and with plain SQL behind a bare route. */
export const state: Part = { name: 'state', measure };

async function measure({ rounds, scale }: PartOptions): Promise<Result[]> {
  await using resources = new AsyncDisposableStack();
  const bench = resources.use(await startBenchSystem());
  const tenant = await newTenant(bench.system);
  const { teamId, projectId } = tenant;
  const { databaseUrl } = findServers(bench.dataDir, 'subscriptions');
  const customers = Math.max(READ, CUSTOMERS / scale);
  const database = resources.use(await connectTo(databaseUrl));
  await insertRecords(database, tenant, customers);
  const bare = resources.use(
    await startOtherSide(join(import.meta.dirname, 'bare-server.ts'), [databaseUrl, teamId, projectId]),
  );
  const headers = { authorization: `Bearer ${await newApiKey(bench.dataDir, tenant)}` };
  const ours = `${bench.gatewayUrl}/api/service/teams/${teamId}/projects/${projectId}`;
  const read = Array.from({ length: READ }, (_, index) => idOf('pc', 1 + Math.floor((index * customers) / READ)));
  const urlOf = (base: string, id: string) => `${base}/customers/${id}/state`;
  for (const id of read.slice(0, COMPARED))
    deepStrictEqual(
      await stateAt(urlOf(ours, id), headers),
      await stateAt(urlOf(bare.url, id)),
      'Both sides must return the same state.',
    );

  const tags = await Promise.all(read.map(id => tagAt(urlOf(ours, id), headers)));
  const readsOf = (base: string, headersOf: (index: number) => Readonly<Record<string, string>> = () => ({})) => ({
    url: base,
    requests: read.map((id, index) => getRequest(urlOf(base, id), headersOf(index))),
  });
  const sides: Record<SideName, Reads> = {
    whole: readsOf(ours, () => headers),
    unchanged: { ...readsOf(ours, index => ({ ...headers, 'if-none-match': tags[index] ?? '' })), status: 304 },
    plain: readsOf(bare.url),
    prepared: readsOf(`${bare.url}/prepared`),
  };
  const load = resources.use(startRequestLoad());
  const measureOne = (side: SideName) => measureReads(load, sides[side], ROUND_MS / scale);
  const measured = await measureRounds<Round>(
    rounds,
    async () => ({
      whole: await measureOne('whole'),
      unchanged: await measureOne('unchanged'),
      plain: await measureOne('plain'),
      prepared: await measureOne('prepared'),
    }),
    describeRound,
  );
  return resultsOf(measured);
}

function describeRound(round: Round): string {
  const sides = Object.entries(round).map(
    ([side, { perSecond, p50, p99 }]) =>
      `\n  ${side}: ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  );
  return `${describeRates('states/s', round.whole.perSecond, round.plain.perSecond)}${sides.join('')}`;
}

function resultsOf(measured: readonly Round[]): Result[] {
  const medianOf = (of: (it: Round) => number) => median(measured.map(of));
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
