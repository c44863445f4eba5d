/** One side in one round; rates are events per second, latencies milliseconds. */
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

/** A line for one round. */
export function describeRound(name: string, { billing, syncEngine }: Round): string {
  return [
    name.padEnd(9),
    `acknowledged/s ${pair(billing.acknowledged, syncEngine.acknowledged)}`,
    `applied/s ${pair(billing.applied, syncEngine.applied)}`,
  ].join('   ');
}

/** The medians over all rounds, their ratios, and how long one event took. */
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

/** The same events without and with some among them that cannot be handled. */
export interface PoisonedPair {
  readonly calm: Measured;
  readonly poisoned: Measured;
}

/** How fast events pass beside poisoned ones: the medians, and their ratio. */
export function describePoisoned(pairs: readonly PoisonedPair[], count: number): string {
  const [calm, poisoned] = [
    median(pairs.map(it => it.calm.applied)),
    median(pairs.map(it => it.poisoned.applied)),
  ] as const;
  return `\nbeside ${count} poisoned events   applied/s ${pair(poisoned, calm)}   (at least 0.9)`;
}

const pair = (ours: number, theirs: number) =>
  `${ours.toFixed(0).padStart(5)} : ${theirs.toFixed(0).padStart(5)} = ${(ours / theirs).toFixed(2)}`;

const columns = (ours: number, theirs: number) =>
  `${ours.toFixed(0).padStart(15)}${theirs.toFixed(0).padStart(14)}${(ours / theirs).toFixed(2).padStart(8)}`;

function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return `${at(0.5).toFixed(1).padStart(8)}${at(0.99).toFixed(1).padStart(9)}`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? NaN, sorted[sorted.length >> 1] ?? NaN];
  return (low + high) / 2;
}
