import type { Result } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { measureRounds } from '../rounds.ts';
import type { Receiver } from './receiver.ts';
import type { ProjectRef, Side } from './side.ts';

/** Endpoints, and deliveries of one round. */
const SIZES = [
  { endpoints: 1, deliveries: 10_000 },
  { endpoints: 100, deliveries: 20_000 },
] as const;
const GOAL = 1;
const OTHER = 'pg-boss, a job for each event and endpoint';

export interface Sides {
  readonly ours: Side;
  readonly theirs: Side;
  readonly receiver: Receiver;
}

interface Options {
  readonly rounds: number;
  readonly scale: number;
}

/** Measures deliveries per second, from the first commit until the last event has arrived. */
export async function measureRates({ ours, theirs, receiver }: Sides, { rounds, scale }: Options): Promise<Result[]> {
  const results: Result[] = [];
  for (const { endpoints, deliveries } of SIZES) {
    const each = Math.max(1, Math.round(deliveries / endpoints / scale));
    const projects = {
      ours: await ours.newProjects(endpoints, receiver.url),
      theirs: await theirs.newProjects(endpoints, receiver.url),
    };
    const measured = await measureRounds(
      rounds,
      async () => ({
        our: await measureRate(ours, receiver, projects.ours, each),
        their: await measureRate(theirs, receiver, projects.theirs, each),
      }),
      ({ our, their }) => describeRates(`deliveries/s to ${endpoints} endpoints`, our, their),
    );
    const what = `deliveries/s to ${endpoints.toLocaleString('en')} ${endpoints === 1 ? 'endpoint' : 'endpoints'}`;
    const rates = { ours: measured.map(it => it.our), theirs: measured.map(it => it.their) };
    results.push(compareRates({ what, ...rates, other: OTHER, atLeast: GOAL }));
  }
  return results;
}

async function measureRate(
  side: Side,
  receiver: Receiver,
  projects: readonly ProjectRef[],
  each: number,
): Promise<number> {
  const deliveries = each * projects.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  receiver.start();
  const startedAt = performance.timeOrigin + performance.now();
  await side.change(projects, each);
  const { endedAt } = await receiver.until(deliveries);
  return deliveries / ((endedAt - startedAt) / 1_000);
}
