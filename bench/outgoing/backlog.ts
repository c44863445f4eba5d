import type { PartOptions, Result } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { sampleMemory, type PeakMemory } from '../load/memory-sampler.ts';
import type { Billing } from './billing.ts';
import type { Sides } from './rates.ts';
import type { Receiver } from './receiver.ts';
import type { Side } from './side.ts';

const EVENTS = 100_000;
const GOAL = 2;
const MAX_MEBIBYTES = 300;

/** Measures how fast one endpoint gets what has gathered while nothing was sent to it, and our memory meanwhile. */
export async function measureBacklog(
  { ours, theirs, receiver }: Sides & { readonly ours: Billing },
  { scale }: PartOptions,
): Promise<Result[]> {
  const events = Math.ceil(EVENTS / scale);
  const stopSampling = sampleMemory(() => ours.bench.system.services);
  const our = await drain(ours, receiver, events);
  const peaks: readonly PeakMemory[] = await stopSampling();
  const their = await drain(theirs, receiver, events);
  console.log(describeRates(`a backlog of ${events} events, events/s`, our, their));
  const memory = (peaks.find(({ part }) => part === 'webhooks')?.bytes ?? NaN) / 1_048_576;
  const what = `events/s of a backlog of ${events.toLocaleString('en')} to one endpoint`;
  return [
    compareRates({ what, ours: [our], theirs: [their], other: 'pg-boss', atLeast: GOAL }),
    {
      what: 'memory of webhooks meanwhile, MiB',
      billing: memory.toFixed(0),
      against: '-',
      goal: `at most ${MAX_MEBIBYTES} MiB`,
      isReached: memory <= MAX_MEBIBYTES,
    },
  ];
}

async function drain(side: Side, receiver: Receiver, events: number): Promise<number> {
  const projects = await side.newProjects(1, receiver.url);
  await side.pause(projects);
  await side.change(projects, events);
  await side.untilWaiting(projects);
  receiver.start();
  const startedAt = performance.timeOrigin + performance.now();
  await side.resume(projects);
  const { endedAt } = await receiver.until(events);
  return events / ((endedAt - startedAt) / 1_000);
}
