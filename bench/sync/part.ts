import { setTimeout as delay } from 'node:timers/promises';
import type { Sync } from '@billing/client';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { fillAccount } from '@billing/local-processor/past';
import type { LocalSystem } from '@billing/local-system';
import { sampleMemory } from '../load/memory-sampler.ts';
import { postLoneEvents } from './lone-events.ts';
import { startBenchSystem } from '../load/bench-system.ts';
import { newEventReceiver } from '../load/event-receiver.ts';
import { startRequestLoad } from '../load/request-load.ts';
import type { Part } from '../part.ts';
import { median, quantile } from '../statistics.ts';
import { newTenant, type Tenant } from '../tenant.ts';

const CUSTOMERS = 20_000;
const LONE_SUBSCRIPTIONS = 10;
/** How long lone events are sent without a sync in each round. */
const ALONE_MS = 20_000;
const POLL_MS = 500;
const GOAL_PER_SECOND = 500;
const GOAL_LONE_MS = 1_000;
const MEGABYTE = 1024 ** 2;

interface Round {
  readonly objects: number;
  readonly seconds: number;
  readonly requests: number;
  readonly peakBytes: number;
  readonly alone: readonly number[];
  readonly besides: readonly number[];
}

/**
 * Takes an account with 20,000 customers over, without the limit of requests a second, so that the work itself is measured;
 * another team gets an event a second meanwhile.
 */
export const sync: Part = {
  name: 'sync',
  async measure({ rounds, scale }) {
    process.env['SYNC_REQUESTS_PER_SECOND'] ??= '100';
    await using resources = new AsyncDisposableStack();
    const bench = resources.use(await startBenchSystem());
    const lone = resources.use(await newEventReceiver(bench, LONE_SUBSCRIPTIONS));
    const load = resources.use(startRequestLoad());
    let sent = LONE_SUBSCRIPTIONS;
    const measureLone = async <Meanwhile>(run: () => Promise<Meanwhile>) => {
      const stop = postLoneEvents(lone, load, sent);
      const meanwhile = await run();
      const events = await stop();
      sent += events.length;
      return { ms: events.map(event => event.ms), meanwhile };
    };

    const measured: Round[] = [];
    for (let number = 1; number <= rounds; number += 1) {
      const tenant = await newTenant(bench.system);
      const { processorUrl = '' } = bench.system;
      const processor = new LocalProcessorControl(processorUrl, tenant.secretKey);
      await fillAccount(processorUrl, tenant.secretKey, Math.ceil(CUSTOMERS / scale));
      const before = countCalls((await processor.ledger()).calls);
      const alone = await measureLone(() => delay(ALONE_MS / scale));
      const stopSampling = sampleMemory(servicesOf(bench.system));
      const { ms: besides, meanwhile } = await measureLone(() => takeOver(tenant));
      const round = {
        ...meanwhile,
        requests: countCalls((await processor.ledger()).calls) - before,
        peakBytes: Math.max(...(await stopSampling()).map(({ bytes }) => bytes)),
        alone: alone.ms,
        besides,
      };
      console.log(`round ${number}: ${describe(round)}`);
      measured.push(round);
    }
    return resultsOf(measured);
  },
};

/** All parts but the stand-in for Stripe, which holds the whole account in memory. */
const servicesOf = (system: LocalSystem) => () =>
  Object.fromEntries(Object.entries(system.services).filter(([name]) => name !== 'processor'));

/** @throws Error unless the sync completes, everything it found is applied, and a report then finds nothing */
async function takeOver({ billing, post, teamId, projectId }: Tenant): Promise<Pick<Round, 'objects' | 'seconds'>> {
  const startedAt = performance.now();
  const path = `/api/service/teams/${teamId}/projects/${projectId}/syncs`;
  const { sync: started } = await post<{ sync: Sync }>(path, { mode: 'apply' });
  const { progress, counts } = await untilEnded(billing, started);
  const seconds = (performance.now() - startedAt) / 1_000;
  const objects = Object.values(progress).reduce((sum, { read }) => sum + read, 0);
  for (const [type, { missing, different, extra, applied }] of Object.entries(counts))
    if (missing + different + extra !== applied)
      throw new Error(`Of ${missing + different + extra} findings of type ${type} only ${applied} were applied.`);
  return { objects, seconds };
}

async function untilEnded(billing: Tenant['billing'], { id }: Sync): Promise<Sync> {
  for (;;) {
    const found = await billing.syncs.get(id);
    if (found.status === 'completed') return found;
    if (found.status !== 'queued' && found.status !== 'running')
      throw new Error(`The sync is ${found.status}: ${found.error?.message ?? 'no reason'}`);
    await delay(POLL_MS);
  }
}

const countCalls = (calls: Readonly<Record<string, Readonly<Record<string, number>>>>): number =>
  Object.values(calls)
    .flatMap(statuses => Object.values(statuses))
    .reduce((sum, count) => sum + count, 0);

const perSecond = ({ objects, seconds }: Round): number => objects / seconds;
const p99 = (ms: readonly number[]): number => quantile([...ms], 0.99);

const describe = (round: Round): string =>
  `${round.objects} objects in ${round.seconds.toFixed(0)} s (${perSecond(round).toFixed(0)}/s), ${round.requests} requests, ` +
  `largest process ${(round.peakBytes / MEGABYTE).toFixed(0)} MB, lone events p99 ${p99(round.besides).toFixed(0)} ms, ` +
  `alone ${p99(round.alone).toFixed(0)} ms`;

function resultsOf(rounds: readonly Round[]) {
  const rate = median(rounds.map(perSecond));
  const requests = median(rounds.map(round => round.requests));
  const megabytes = median(rounds.map(round => round.peakBytes)) / MEGABYTE;
  const lone = p99(rounds.flatMap(({ besides }) => besides));
  return [
    {
      what: 'objects of an account taken over/s',
      billing: `${rate.toFixed(0)} (${requests.toFixed(0)} requests)`,
      against: '-',
      goal: `at least ${GOAL_PER_SECOND}/s`,
      isReached: rate >= GOAL_PER_SECOND,
    },
    {
      what: 'largest process meanwhile, MB',
      billing: megabytes.toFixed(0),
      against: '-',
      goal: 'at most 300 MB',
      isReached: megabytes <= 300,
    },
    {
      what: 'a lone event of another team meanwhile, p99 ms',
      billing: lone.toFixed(0),
      against: `${p99(rounds.flatMap(({ alone }) => alone)).toFixed(0)} (no sync)`,
      goal: `at most ${GOAL_LONE_MS} ms`,
      isReached: lone <= GOAL_LONE_MS,
    },
  ];
}
