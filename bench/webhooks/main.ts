import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@billing/embedded-servers/postgres';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { readArguments, type Arguments } from './read-arguments.ts';
import { startBilling, type Billing } from './billing.ts';
import type { Sent } from './generator.ts';
import { startLoad, type Load } from './load.ts';
import { POISONED_EVENTS } from './poisoned-events.ts';
import {
  describePoisoned,
  describeRound,
  describeRounds,
  type Measured,
  type PoisonedPair,
  type Round,
} from './report.ts';
import { installSyncEngine, startSyncEngine, type SyncEngine } from './sync-engine.ts';

const HOME = join(import.meta.dirname, '../../.data/bench');

/**
 * Measures both sides in turn on one PostgreSQL server, with the same signed events.
 * @throws Error instead of printing a result, when an acknowledged event was not applied
 */
async function measure(options: Arguments): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const folder = await installSyncEngine(HOME);
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-bench-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const postgres = resources.adopt(
    await startPostgres({
      dataDir: join(dataDir, 'postgres'),
      logFile: join(dataDir, 'postgres.log'),
      password: randomBytes(12).toString('hex'),
      guard,
    }),
    it => it.stop(),
  );
  const syncEngine = resources.use(await startSyncEngine(folder, postgres.url));
  // One API key sends every request of the verification.
  process.env['RATE_LIMIT_PER_KEY'] ??= '100000';
  const { subscriptions } = options;
  const billing = resources.use(await startBilling({ dataDir, adminUrl: postgres.url, subscriptions }));
  const load = resources.use(startLoad());
  console.log(
    `${options.events} events per round and side for ${subscriptions} subscriptions, ${options.connections} connections`,
  );

  const { shop } = billing;
  const jobs = { shop, connections: options.connections };
  // Creates the subscriptions, then runs a warm-up round that does not count.
  await measureBoth({ billing, syncEngine, load }, { ...jobs, first: 0, count: subscriptions });
  let sent = subscriptions;
  const nextRound = async (name: string): Promise<Round> => {
    const round = await measureBoth({ billing, syncEngine, load }, { ...jobs, first: sent, count: options.events });
    sent += options.events;
    console.log(describeRound(name, round));
    return round;
  };
  await nextRound('warm-up');
  const rounds: Round[] = [];
  for (let number = 1; number <= options.rounds; number += 1) rounds.push(await nextRound(`round ${number}`));
  await syncEngine.verify(shop, sent);
  const pairs: PoisonedPair[] = [];
  for (let number = 1; number <= options.rounds; number += 1) {
    const healthy = await measureBilling({ billing, load }, { ...jobs, first: sent, count: options.events });
    sent += options.events;
    await billing.postPoisonedEvents();
    const poisoned = await measureBilling({ billing, load }, { ...jobs, first: sent, count: options.events });
    sent += options.events;
    pairs.push({ healthy, poisoned });
  }
  await billing.verify(sent);
  console.log(describeRounds(rounds));
  console.log(describePoisoned(pairs, POISONED_EVENTS));
  console.log(`\n${sent} events acknowledged and applied, none lost`);
}

interface Sides {
  readonly billing: Billing;
  readonly syncEngine: SyncEngine;
  readonly load: Load;
}

type Events = Omit<Parameters<Load['send']>[0], 'url' | 'secret'>;

async function measureBoth({ billing, syncEngine, load }: Sides, events: Events): Promise<Round> {
  const ours = await measureBilling({ billing, load }, events);
  await billing.untilCounted(events.first + events.count);
  const theirs = await load.send({ ...events, url: syncEngine.url, secret: syncEngine.secret });
  // The sync engine applies an event before it responds.
  return { billing: ours, syncEngine: measured(events.count, theirs, theirs) };
}

async function measureBilling({ billing, load }: Pick<Sides, 'billing' | 'load'>, events: Events): Promise<Measured> {
  const { first, count } = events;
  const sent = await load.send({ ...events, url: billing.url, secret: billing.secret });
  return measured(count, sent, await billing.untilApplied(first, count));
}

function measured(
  count: number,
  sent: Sent,
  applied: { readonly endedAt: number; readonly latencies: readonly number[] },
): Measured {
  const perSecond = (endedAt: number) => count / ((endedAt - sent.startedAt) / 1_000);
  return {
    acknowledged: perSecond(sent.endedAt),
    applied: perSecond(Math.max(applied.endedAt, sent.endedAt)),
    acknowledgedLatencies: sent.latencies,
    appliedLatencies: applied.latencies,
  };
}

await measure(readArguments(process.argv.slice(2)));
