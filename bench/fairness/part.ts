import { setTimeout as delay } from 'node:timers/promises';
import { startBenchSystem } from '../load/bench-system.ts';
import { newEventReceiver } from '../load/event-receiver.ts';
import { startRequestLoad } from '../load/request-load.ts';
import type { Part } from '../part.ts';
import { quantile } from '../statistics.ts';
import { postLoneEvents, type LoneEvent } from './lone-events.ts';

/** Events of one flood, and the subscriptions of the team that floods. */
const FLOOD = 100_000;
const FLOODING_SUBSCRIPTIONS = 1_000;
const WARM_UP = 10_000;
const LONE_SUBSCRIPTIONS = 10;
/** How long lone events are sent without a flood in each round. */
const ALONE_MS = 20_000;
const GOAL_MS = 1_000;

/** One team posts events as fast as they are accepted, another one gets an event a second. */
export const fairness: Part = {
  name: 'fairness',
  async measure({ rounds, scale }) {
    await using resources = new AsyncDisposableStack();
    const bench = resources.use(await startBenchSystem());
    const flooding = resources.use(await newEventReceiver(bench, FLOODING_SUBSCRIPTIONS));
    const lone = resources.use(await newEventReceiver(bench, LONE_SUBSCRIPTIONS));
    const load = resources.use(startRequestLoad());
    let flooded = FLOODING_SUBSCRIPTIONS;
    let sent = LONE_SUBSCRIPTIONS;

    const flood = async (count: number) => {
      const { startedAt, endedAt } = await flooding.post(flooded, count);
      flooded += count;
      return { startedAt, endedAt, perSecond: count / ((endedAt - startedAt) / 1_000) };
    };
    const measureLone = async <Meanwhile>(run: () => Promise<Meanwhile>) => {
      const stop = postLoneEvents(lone, load, sent);
      const meanwhile = await run();
      const events = await stop();
      sent += events.length;
      return { events, meanwhile };
    };

    await flood(Math.ceil(WARM_UP / scale));
    await flooding.verify(flooded);
    const [alone, besides]: [LoneEvent[], LoneEvent[]] = [[], []];
    for (let round = 1; round <= rounds; round += 1) {
      const quiet = (await measureLone(() => delay(ALONE_MS / scale))).events;
      const { events, meanwhile } = await measureLone(() => flood(Math.ceil(FLOOD / scale)));
      // Before the flood its events are signed, and after it what it left is still being processed.
      const during = events.filter(({ sentAt }) => sentAt >= meanwhile.startedAt && sentAt <= meanwhile.endedAt);
      console.log(
        `round ${round}: flood of ${meanwhile.perSecond.toFixed(0)} events/s, ` +
          `lone events ${describe(during)}, without flood ${describe(quiet)}`,
      );
      alone.push(...quiet);
      besides.push(...during);
      await flooding.verify(flooded);
      await lone.verify(sent);
    }
    const p99 = p99Of(besides);
    return [
      {
        what: 'a lone event applied while another team floods, p99 ms',
        billing: `${p99.toFixed(0)} (${besides.length} events, p50 ${quantile(
          besides.map(({ ms }) => ms),
          0.5,
        ).toFixed(0)})`,
        against: `${p99Of(alone).toFixed(0)} (no flood)`,
        goal: `at most ${GOAL_MS} ms`,
        isReached: p99 <= GOAL_MS,
      },
    ];
  },
};

const p99Of = (events: readonly LoneEvent[]): number =>
  quantile(
    events.map(({ ms }) => ms),
    0.99,
  );

function describe(events: readonly LoneEvent[]): string {
  const latencies = events.map(({ ms }) => ms);
  const [p50, p99] = [0.5, 0.99].map(fraction => quantile(latencies, fraction).toFixed(0));
  return `(${events.length}) p50 ${p50} p99 ${p99} ms`;
}
