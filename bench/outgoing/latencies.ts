import { setTimeout as delay } from 'node:timers/promises';
import type { PartOptions, Result } from '../part.ts';
import { roundName } from '../rounds.ts';
import { quantile } from '../statistics.ts';
import type { Sides } from './rates.ts';
import { HANGING_PATH } from './receiver-process.ts';
import type { Receiver } from './receiver.ts';
import type { LiveProject, Side } from './side.ts';

/** Changes of one round to one endpoint, and how often one is made. */
const LONE = { changes: 300, everyMs: 50 };
/** Changes of each project in a round, and how often each project has one. */
const MANY = { changes: 40, everyMs: 500 };
const ENDPOINTS = 100;
const [P50_MS, P99_MS, MAX_RATIO] = [50, 250, 1.2];

/** Measures from the change, just before its commit, until the event arrives: idle, and beside an endpoint that hangs. */
export async function measureLatencies(sides: Sides, options: PartOptions): Promise<Result[]> {
  return [...(await measureLone(sides, options)), await measureHanging(sides, options)];
}

async function measureLone({ ours, theirs, receiver }: Sides, { rounds, scale }: PartOptions): Promise<Result[]> {
  const open = async (side: Side) => ({
    projects: await side.newLiveProjects(1, () => `${receiver.url}/lone`),
    latencies: [] as number[],
  });
  const both = { ours: await open(ours), theirs: await open(theirs) };
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, { projects, latencies }] of Object.entries(both)) {
      const measured = await changeSteadily(receiver, projects, { ...LONE, changes: Math.ceil(LONE.changes / scale) });
      console.log(`${roundName(round)}: one event at a time, ${name}: ${describe(measured)}`);
      if (round > 0) latencies.push(...measured);
    }
  return ([0.5, 0.99] as const).map(fraction => {
    const [our, their] = [quantile(both.ours.latencies, fraction), quantile(both.theirs.latencies, fraction)];
    const goal = fraction === 0.5 ? P50_MS : P99_MS;
    return {
      what: `commit until received, p${fraction * 100} ms`,
      billing: our.toFixed(0),
      against: `${their.toFixed(0)} (pg-boss with LISTEN)`,
      goal: `at most ${goal} ms`,
      isReached: our <= goal,
    };
  });
}

/** One of the endpoints is left out, or hangs, in turn. */
async function measureHanging({ ours, theirs, receiver }: Sides, { rounds, scale }: PartOptions): Promise<Result> {
  const changes = Math.ceil(MANY.changes / scale);
  const open = async (side: Side) => ({
    side,
    projects: await side.newLiveProjects(
      ENDPOINTS,
      index => `${receiver.url}${index === 0 ? HANGING_PATH : ''}/healthy-${index}`,
    ),
    without: [] as number[],
    beside: [] as number[],
  });
  const both = { ours: await open(ours), theirs: await open(theirs) };
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, { side, projects, without, beside }] of Object.entries(both)) {
      const [hanging = ''] = projects[0]?.endpoints ?? [];
      for (const [hangs, latencies] of [
        [false, without],
        [true, beside],
      ] as const) {
        await side.include(hanging, hangs);
        const measured = await changeSteadily(receiver, projects, { ...MANY, changes, hangs });
        console.log(
          `${roundName(round)}: ${ENDPOINTS} endpoints${hangs ? ', one hangs' : ''}, ${name}: ${describe(measured)}`,
        );
        if (round > 0) latencies.push(...measured);
      }
    }
  const p99 = (latencies: readonly number[]) => quantile(latencies, 0.99);
  const ratio = p99(both.ours.beside) / p99(both.ours.without);
  const their = p99(both.theirs.beside) / p99(both.theirs.without);
  return {
    what: 'p99 ms of 99 endpoints while another one hangs',
    billing: p99(both.ours.beside).toFixed(0),
    against: `${p99(both.ours.without).toFixed(0)} (without; pg-boss is ${their.toFixed(1)} times slower with it)`,
    ratio,
    goal: `at most ${MAX_RATIO} ×`,
    isReached: ratio <= MAX_RATIO,
  };
}

interface Pace {
  readonly changes: number;
  readonly everyMs: number;
  readonly hangs?: boolean;
}

/** Makes changes at a steady pace, the projects in turn, and returns how long each event took to each endpoint that responds. */
async function changeSteadily(
  receiver: Receiver,
  projects: readonly LiveProject[],
  { changes, everyMs, hangs = false }: Pace,
): Promise<readonly number[]> {
  const endpoints = projects.reduce((sum, project) => sum + project.endpoints.length, 0);
  const healthy = endpoints === 1 ? 1 : endpoints - 1;
  receiver.start({ hangs });
  const startedAt = performance.now();
  for (let number = 0; number < changes * projects.length; number += 1) {
    await delay(Math.max(0, startedAt + (number * everyMs) / projects.length - performance.now()));
    await projects[number % projects.length]?.changeOne();
  }
  return (await receiver.until(changes * healthy)).latencies;
}

const describe = (latencies: readonly number[]): string =>
  `p50 ${quantile(latencies, 0.5).toFixed(0)}, p99 ${quantile(latencies, 0.99).toFixed(0)} ms`;
