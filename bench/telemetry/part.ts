import { planBillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';
import { exportersIn } from '@billing/service/telemetry-exporters';
import { startBenchSystem } from '../load/bench-system.ts';
import { newEventReceiver } from '../load/event-receiver.ts';
import { between, readUse, servicesCpuMs, totalCpuMs } from '../costs/reading.ts';
import type { Part, Result } from '../part.ts';
import { measureRounds } from '../rounds.ts';
import { median } from '../statistics.ts';
import { startSink } from './sink.ts';

const EVENTS = 10_000;
/** How often each side is measured in a round: so close together that other work on the machine disturbs all alike. */
const TURNS = 10;
const SUBSCRIPTIONS = 1_000;
/** What telemetry may cost, as a ratio of processor time. */
const AT_MOST = 1.03;

/** How a side is measured: with which variables of OpenTelemetry. */
interface Side {
  readonly name: string;
  readonly variables: (sinkUrl: string) => Readonly<Record<string, string>>;
}

const OFF: Side = { name: 'nothing', variables: () => ({}) };
/** What the measurement itself is worth: two equal systems. */
const ALSO_OFF: Side = { ...OFF, name: 'nothing, once more' };
const SIDES: readonly Side[] = [
  OFF,
  ALSO_OFF,
  { name: 'metrics', variables: sinkUrl => ({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${sinkUrl}/v1/metrics` }) },
  { name: 'metrics and traces', variables: sinkUrl => ({ OTEL_EXPORTER_OTLP_ENDPOINT: sinkUrl }) },
  {
    name: 'metrics and every trace',
    variables: sinkUrl => ({ OTEL_EXPORTER_OTLP_ENDPOINT: sinkUrl, OTEL_TRACES_SAMPLER: 'parentbased_always_on' }),
  },
];

/** Milliseconds of processor time. */
interface Use {
  readonly total: number;
  /** Without PostgreSQL and NATS. */
  readonly services: number;
}

/**
 * Posts the same events in turn to two systems without telemetry, and to systems with more and more of it. Measures
 * processor time, which other work on the machine disturbs less than it does rates.
 */
export const telemetry: Part = {
  name: 'telemetry',
  async measure({ rounds, scale }) {
    await using resources = new AsyncDisposableStack();
    const sink = resources.use(await startSink());
    const systems: { readonly side: Side; readonly system: Awaited<ReturnType<typeof startSide>> }[] = [];
    for (const side of SIDES) systems.push({ side, system: resources.use(await startSide(side, sink.url)) });
    const events = Math.ceil(EVENTS / scale / TURNS);
    const measureRound = async (): Promise<ReadonlyMap<Side, Use>> => {
      const used = new Map<Side, Use[]>(SIDES.map(side => [side, []]));
      for (let turn = 0; turn < TURNS; turn += 1)
        // Each side begins as often as the others.
        for (const { side, system } of rotated(systems, turn)) used.get(side)?.push(await system.measure(events));
      for (const { system } of systems) await system.verify();
      return new Map([...used].map(([side, turns]) => [side, meanOf(turns, events)]));
    };
    const measured = await measureRounds(rounds, measureRound, perEvent => {
      const values = [...perEvent].map(
        ([{ name }, it]) => `${name} ${it.services.toFixed(3)} of ${it.total.toFixed(3)}`,
      );
      return `services and all, ${values.join(', ')} ms`;
    });
    return SIDES.filter(side => side !== OFF).map(side => compare(side, measured));
  },
};

/** The same items in the same circle, from another one on. */
const rotated = <Item>(items: readonly Item[], turn: number): Item[] => [
  ...items.slice(turn % items.length),
  ...items.slice(0, turn % items.length),
];

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of one event in turns of so many events. */
const meanOf = (turns: readonly Use[], events: number): Use => ({
  total: mean(turns.map(({ total }) => total)) / events,
  services: mean(turns.map(({ services }) => services)) / events,
});

/**
 * The ratio is the median of those within a round, since other work on the machine changes from one to the next. Telemetry
 * runs in the services and adds no statement and no message: what it costs is the difference between their processor times.
 * That of PostgreSQL changes by more than this from one system to another equal one, and counts as that without telemetry.
 */
function compare(side: Side, rounds: readonly ReadonlyMap<Side, Use>[]): Result {
  const of = (round: ReadonlyMap<Side, Use>, one: Side): Use => round.get(one) ?? { total: NaN, services: NaN };
  // The second system without telemetry is compared with the first, all others with both.
  const references = side === ALSO_OFF ? [OFF] : [OFF, ALSO_OFF];
  const pairs = rounds.map(round => {
    const total = mean(references.map(reference => of(round, reference).total));
    const added = of(round, side).services - mean(references.map(reference => of(round, reference).services));
    return { without: total, ratio: (total + added) / total };
  });
  const ratio = median(pairs.map(pair => pair.ratio));
  const without = median(pairs.map(pair => pair.without));
  return {
    what: `processor time of one webhook event with ${side.name}`,
    billing: `${(without * ratio).toFixed(2)} ms`,
    against: `${without.toFixed(2)} ms (without telemetry)`,
    ratio,
    goal: `at most ${AT_MOST} ×`,
    isReached: ratio <= AT_MOST,
  };
}

async function startSide({ variables }: Side, sinkUrl: string) {
  await using resources = new AsyncDisposableStack();
  const otel = variables(sinkUrl);
  const bench = resources.use(await startBenchSystem({ planPrograms: inputs => planWith(inputs, otel) }));
  const receiver = resources.use(await newEventReceiver(bench, SUBSCRIPTIONS));
  let sent = SUBSCRIPTIONS;
  const running = resources.move();
  return {
    /** Posts events, and returns what is used until analytics counts them. */
    async measure(events: number): Promise<Use> {
      const before = await readUse(bench.system, receiver.database);
      await receiver.post(sent, events);
      await receiver.untilApplied(sent, events);
      sent += events;
      await receiver.untilCounted(sent);
      const used = between(before, await readUse(bench.system, receiver.database));
      return { total: totalCpuMs(used), services: servicesCpuMs(used) };
    },
    verify: () => receiver.verify(sent),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Plans the programs as if these variables had been set for `npm start`. */
async function planWith(inputs: PlanInputs, otel: Readonly<Record<string, string>>) {
  const settings = { ...inputs.settings, exporters: exportersIn(otel) };
  const { services, gateway, processor } = await planBillingPrograms({ ...inputs, settings });
  const withVariables = <Program extends { readonly env: object }>(program: Program): Program => ({
    ...program,
    env: { ...program.env, ...otel },
  });
  return { processor, services: services.map(withVariables), gateway: withVariables(gateway) };
}
