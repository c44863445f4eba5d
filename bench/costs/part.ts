import { setTimeout as delay } from 'node:timers/promises';
import { planBillingPrograms } from '@billing/local-system/billing-programs';
import { findServers } from '@billing/local-system/running-system';
import { connectTo } from '../database.ts';
import { startBenchSystem, type BenchSystem } from '../load/bench-system.ts';
import { newEventReceiver, type EventReceiver } from '../load/event-receiver.ts';
import type { Part, Result } from '../part.ts';
import { newTenant } from '../tenant.ts';
import { between, readUse, totalCpuMs, type Reading } from './reading.ts';

const EVENTS = 5_000;
/** One for each event: of the updates of one object that wait together, only the newest is handled. */
const SUBSCRIPTIONS = EVENTS;
const REQUESTS = 2_000;
const CONNECTIONS = 8;
const TEAMS = 100;
/** How often each team's events at Stripe are scanned here, and by default, in seconds. */
const SCAN_SECONDS = 5;
const DEFAULT_SCAN_SECONDS = 300;
const IDLE_SECONDS = 30;

/** Measures what one event, one request and one idle team cost: the constants of docs/scale.md. */
export const costs: Part = {
  name: 'costs',
  async measure({ scale }) {
    await using resources = new AsyncDisposableStack();
    const bench = resources.use(await startSystem());
    const database = resources.use(await connectTo(findServers(bench.dataDir, 'webhooks').databaseUrl));
    const read = () => readUse(bench.system, database);
    const during = async (work: () => Promise<void>): Promise<Reading> => {
      const before = await read();
      await work();
      return between(before, await read());
    };
    const count = {
      events: Math.ceil(EVENTS / scale),
      requests: Math.ceil(REQUESTS / scale),
      teams: Math.ceil(TEAMS / scale),
    };
    // Measured first: afterwards there are customers to find whose events no webhook has delivered.
    await newTenant(bench.system, { receivesWebhooks: true });
    await delay(IDLE_SECONDS * 1_000);
    const idle = await during(() => delay(IDLE_SECONDS * 1_000));

    const receiver = resources.use(await newEventReceiver(bench, SUBSCRIPTIONS));
    await postEvents(receiver, SUBSCRIPTIONS, count.events);
    const events = await during(() => postEvents(receiver, SUBSCRIPTIONS + count.events, count.events));
    const requests = await during(() => sendRequests(receiver, count.requests));
    const memoryBefore = bench.system.measureMemory().bytes;
    const made = await during(() => makeTeams(bench, count.teams));
    const idleWithTeams = await during(() => delay(IDLE_SECONDS * 1_000));
    const memory = bench.system.measureMemory().bytes - memoryBefore;

    const perTeamSecond = (totalCpuMs(idleWithTeams) - totalCpuMs(idle)) / IDLE_SECONDS / count.teams;
    const perScan = perTeamSecond * SCAN_SECONDS;
    return [
      ...describeUse('event in a flood', events, count.events),
      ...describeUse('GET P/subscriptions?limit=50', requests, count.requests),
      line('processor time of an idle system', `${(totalCpuMs(idle) / IDLE_SECONDS).toFixed(1)} ms/s`),
      line('processor time of an idle team, per scan', `${perScan.toFixed(1)} ms`),
      line('the same, a second', `${(perScan / DEFAULT_SCAN_SECONDS).toFixed(3)} ms/s`),
      line('memory of all processes for an idle team', `${(memory / count.teams / 1_024).toFixed(0)} KiB`),
      line('disk of an idle team', `${(made.databaseBytes / count.teams / 1_024).toFixed(0)} KiB`),
    ];
  },
};

const startSystem = (): Promise<BenchSystem> =>
  startBenchSystem({
    planPrograms: async inputs => {
      const planned = await planBillingPrograms(inputs);
      const services = planned.services.map(program =>
        program.name === 'webhooks'
          ? { ...program, env: { ...program.env, RECONCILE_INTERVAL_SECONDS: String(SCAN_SECONDS) } }
          : program,
      );
      return { ...planned, services };
    },
  });

async function postEvents(receiver: EventReceiver, first: number, count: number): Promise<void> {
  await receiver.post(first, count);
  await receiver.untilApplied(first, count);
  await receiver.verify(first + count);
}

async function sendRequests({ tenant }: EventReceiver, count: number): Promise<void> {
  let left = count;
  const send = async () => {
    while (left-- > 0) await tenant.billing.subscriptions.list({ limit: 50 }).page();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
}

async function makeTeams({ system }: BenchSystem, count: number): Promise<void> {
  // The first event of a team makes its schema.
  for (let made = 0; made < count; made += 1) {
    const { billing } = await newTenant(system, { receivesWebhooks: true });
    await billing.products.create({ name: 'Pro' });
  }
  // The first scans of an account look further back.
  await delay(3 * SCAN_SECONDS * 1_000);
}

function describeUse(what: string, use: Reading, count: number): Result[] {
  const byPart = [...use.cpuMs]
    .map(([name, ms]) => [name, ms / count] as const)
    .filter(([, ms]) => ms >= 0.005)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`);
  return [
    line(`processor time of one ${what}`, `${(totalCpuMs(use) / count).toFixed(2)} ms`, byPart.join(', ')),
    line(`commits of one ${what}`, (use.commits / count).toFixed(2)),
    line(`bytes of PostgreSQL's log for one ${what}`, (use.walBytes / count).toFixed(0)),
    line(`bytes that NATS writes for one ${what}`, (use.busBytes / count).toFixed(0)),
  ];
}

const line = (what: string, billing: string, against = '-'): Result => ({
  what,
  billing,
  against,
  goal: '-',
  isReached: true,
});
