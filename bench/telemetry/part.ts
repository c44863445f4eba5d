import { planBillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';
import { exportersIn } from '@billing/service/telemetry-exporters';
import { startBenchSystem } from '../load/bench-system.ts';
import { newEventReceiver } from '../load/event-receiver.ts';
import type { Part } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { startSink } from './sink.ts';

const EVENTS = 10_000;
const SUBSCRIPTIONS = 1_000;
/** What telemetry may cost. */
const AT_LEAST = 0.97;

/** How a side is measured: with which variables of OpenTelemetry. */
interface Side {
  readonly name: string;
  readonly variables: (sinkUrl: string) => Readonly<Record<string, string>>;
}

const OFF: Side = { name: 'off', variables: () => ({}) };
const sampled = (name: string, share: string): Side => ({
  name,
  variables: sinkUrl => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: sinkUrl,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: share,
  }),
});
const SIDES: readonly Side[] = [
  { name: 'metrics', variables: () => ({ OTEL_METRICS_EXPORTER: 'prometheus' }) },
  sampled('metrics and 1 % of traces', '0.01'),
  sampled('metrics and every trace', '1'),
];

/** Posts the same events in turn to a system without telemetry, and to systems with more and more of it. */
export const telemetry: Part = {
  name: 'telemetry',
  async measure({ rounds, scale }) {
    await using resources = new AsyncDisposableStack();
    const sink = resources.use(await startSink());
    const start = async (side: Side) => ({ side, system: resources.use(await startSide(side, sink.url)) });
    const off = await start(OFF);
    const on = [];
    for (const side of SIDES) on.push(await start(side));
    const events = Math.ceil(EVENTS / scale);
    const measured = new Map<Side, number[]>([OFF, ...SIDES].map(side => [side, []]));
    for (let round = 0; round <= rounds; round += 1) {
      const base = await off.system.measure(events);
      if (round > 0) measured.get(OFF)?.push(base);
      for (const { side, system } of on) {
        const rate = await system.measure(events);
        if (round > 0) measured.get(side)?.push(rate);
        console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${describeRates(side.name, rate, base)}`);
      }
    }
    return SIDES.map(side =>
      compareRates({
        what: `webhooks applied/s with ${side.name}`,
        ours: measured.get(side) ?? [],
        theirs: measured.get(OFF) ?? [],
        other: 'without telemetry',
        atLeast: AT_LEAST,
      }),
    );
  },
};

async function startSide({ variables }: Side, sinkUrl: string) {
  await using resources = new AsyncDisposableStack();
  const otel = variables(sinkUrl);
  const bench = resources.use(await startBenchSystem({ planPrograms: inputs => planWith(inputs, otel) }));
  const receiver = resources.use(await newEventReceiver(bench, SUBSCRIPTIONS));
  let sent = SUBSCRIPTIONS;
  const running = resources.move();
  return {
    /** Posts events, waits until they are applied, verifies the outcome, and returns the events per second. */
    async measure(events: number): Promise<number> {
      const { startedAt, endedAt } = await receiver.post(sent, events);
      const applied = await receiver.untilApplied(sent, events);
      sent += events;
      await receiver.verify(sent);
      return events / ((Math.max(applied.endedAt, endedAt) - startedAt) / 1_000);
    },
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
