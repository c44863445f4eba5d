import { median, quantile } from '../statistics.ts';

/** One side in one round. Rates are events per second, latencies are milliseconds. */
export interface Measured {
  readonly acknowledged: number;
  readonly applied: number;
  readonly acknowledgedLatencies: readonly number[];
  readonly appliedLatencies: readonly number[];
}

export interface Round {
  readonly billing: Measured;
  readonly syncEngine: Measured;
}

/** Returns one line about one round. */
export function describeRound(name: string, { billing, syncEngine }: Round): string {
  return [
    name.padEnd(9),
    `acknowledged/s ${pair(billing.acknowledged, syncEngine.acknowledged)}`,
    `applied/s ${pair(billing.applied, syncEngine.applied)}`,
  ].join('   ');
}

/** Returns the medians over all rounds, their ratios, and the latencies of single events. */
export function describeRounds(rounds: readonly Round[]): string {
  const rate = (of: (round: Round) => number) => median(rounds.map(of));
  const acknowledged = [rate(it => it.billing.acknowledged), rate(it => it.syncEngine.acknowledged)] as const;
  const applied = [rate(it => it.billing.applied), rate(it => it.syncEngine.applied)] as const;
  const all = (of: (round: Round) => readonly number[]) => rounds.flatMap(of);
  return [
    '',
    `median of ${rounds.length} rounds       billing   sync engine   ratio`,
    `acknowledged/s   ${columns(...acknowledged)}   (at least 2, aim 4)`,
    `applied/s        ${columns(...applied)}   (at least 0.8, aim 1.5)`,
    '',
    'one event, ms             p50      p99',
    `billing acknowledged ${quantiles(all(it => it.billing.acknowledgedLatencies))}`,
    `billing applied      ${quantiles(all(it => it.billing.appliedLatencies))}`,
    `sync engine          ${quantiles(all(it => it.syncEngine.acknowledgedLatencies))}`,
  ].join('\n');
}

/** Two measurements of our side, without and with poisoned events. */
export interface PoisonedPair {
  readonly healthy: Measured;
  readonly poisoned: Measured;
}

/** Returns the median rates with and without poisoned events, and their ratio. */
export function describePoisoned(pairs: readonly PoisonedPair[], count: number): string {
  const [healthy, poisoned] = [
    median(pairs.map(it => it.healthy.applied)),
    median(pairs.map(it => it.poisoned.applied)),
  ] as const;
  return `\nwith ${count} poisoned events   applied/s ${pair(poisoned, healthy)}   (at least 0.9)`;
}

const pair = (ours: number, theirs: number) =>
  `${ours.toFixed(0).padStart(5)} : ${theirs.toFixed(0).padStart(5)} = ${(ours / theirs).toFixed(2)}`;

const columns = (ours: number, theirs: number) =>
  `${ours.toFixed(0).padStart(15)}${theirs.toFixed(0).padStart(14)}${(ours / theirs).toFixed(2).padStart(8)}`;

const quantiles = (values: readonly number[]) =>
  `${quantile(values, 0.5).toFixed(1).padStart(8)}${quantile(values, 0.99).toFixed(1).padStart(9)}`;
