import { execFileSync } from 'node:child_process';
import { startBenchSystem } from '../load/bench-system.ts';
import { newEventReceiver } from '../load/event-receiver.ts';
import type { Part } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { measureRounds } from '../rounds.ts';
import { startBalancer } from './balancer.ts';
import { COPIED, nameOfCopy, planCopies } from './plan-copies.ts';

const EVENTS = 10_000;
const SUBSCRIPTIONS = 1_000;
/** Two medians of the same system differ by less. */
const NO_SLOWER = 1;
/** The least share of the first copy's CPU time with which the second one counts as working too. */
const MIN_SHARE = 0.25;

/** Events per second of one side in one round. */
interface Measured {
  readonly acknowledged: number;
  readonly applied: number;
}

/** Posts the same events in turn to a system with one copy of subscriptions and webhooks, and to one with two of each. */
export const copies: Part = {
  name: 'copies',
  async measure({ rounds, scale }) {
    await using resources = new AsyncDisposableStack();
    const one = resources.use(await startSide(1));
    const two = resources.use(await startSide(2));
    const events = Math.ceil(EVENTS / scale);
    const measured = await measureRounds(
      rounds,
      async () => ({ one: await one.measure(events), two: await two.measure(events) }),
      describeRound,
    );
    two.requireShares();
    return (['acknowledged', 'applied'] as const).map(rate =>
      compareRates({
        what: `webhooks ${rate}/s by two copies of ${COPIED.join(' and ')}`,
        ours: measured.map(it => it.two[rate]),
        theirs: measured.map(it => it.one[rate]),
        other: 'one copy',
        atLeast: NO_SLOWER,
      }),
    );
  },
};

async function startSide(count: number) {
  await using resources = new AsyncDisposableStack();
  const bench = resources.use(
    await startBenchSystem({
      planPrograms: inputs => planCopies(inputs, count, async ports => resources.use(await startBalancer(ports)).port),
    }),
  );
  const receiver = resources.use(await newEventReceiver(bench, SUBSCRIPTIONS));
  let sent = SUBSCRIPTIONS;
  const running = resources.move();
  return {
    /** Posts events, waits until nothing is left to do, and verifies the outcome. */
    async measure(events: number): Promise<Measured> {
      const { startedAt, endedAt } = await receiver.post(sent, events);
      const applied = await receiver.untilApplied(sent, events);
      sent += events;
      await receiver.verify(sent);
      const perSecond = (until: number) => events / ((until - startedAt) / 1_000);
      return { acknowledged: perSecond(endedAt), applied: perSecond(Math.max(applied.endedAt, endedAt)) };
    },
    /** @throws Error when a second copy did not take its part of the work */
    requireShares(): void {
      for (const service of COPIED) {
        const [first = 0, second = 0] = [1, 2].map(number =>
          cpuSeconds(bench.system.services[nameOfCopy(service, number)]?.pid ?? 0),
        );
        console.log(`CPU time of ${service}: ${first.toFixed(0)} s and ${second.toFixed(0)} s`);
        if (second < first * MIN_SHARE) throw new Error(`The second copy of ${service} hardly worked.`);
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns the CPU time that a process has used; `ps` shows it as `[days-][hours:]minutes:seconds`. */
function cpuSeconds(pid: number): number {
  const time = execFileSync('ps', ['-o', 'time=', '-p', `${pid}`], { encoding: 'utf8' });
  return time
    .trim()
    .split(/[-:]/)
    .reduce((sum, digits) => sum * 60 + Number(digits), 0);
}

function describeRound({ one, two }: { readonly one: Measured; readonly two: Measured }): string {
  const pair = (rate: keyof Measured) => describeRates(`${rate}/s`, two[rate], one[rate]);
  return `${pair('acknowledged')}, ${pair('applied')}`;
}
