import type { Result } from '../part.ts';
import { median, quantile } from '../statistics.ts';
import type { PeakMemory } from './memory-sampler.ts';

/** How the services caught up in one round. */
export interface Round {
  /** From the restart until every service was ready. */
  readonly readyMs: number;
  /** Events per second, from the restart until the last event was processed. */
  readonly perSecond: number;
  /** Of reads meanwhile, in milliseconds. */
  readonly listLatencies: readonly number[];
  readonly analyticsLatencies: readonly number[];
  readonly peaks: readonly PeakMemory[];
}

const MAX_READY_S = 5;
const MIN_PER_SECOND = 2_000;
const MAX_MEBIBYTES = 300;
const MAX_READ_MS = 250;

/** Returns one line about one round. */
export function describeRound({ readyMs, perSecond, listLatencies, analyticsLatencies, peaks }: Round): string {
  const [list, analytics] = [listLatencies, analyticsLatencies].map(it => quantile(it, 0.99).toFixed(0));
  return [
    `ready in ${(readyMs / 1_000).toFixed(1)} s`,
    `${perSecond.toFixed(0)} events/s`,
    `p99 of ${listLatencies.length} lists ${list} ms, of analytics ${analytics} ms`,
    peaks
      .toSorted((a, b) => b.bytes - a.bytes)
      .slice(0, 4)
      .map(describePeak)
      .join(', '),
  ].join(', ');
}

/** Returns the medians over all rounds; of memory the maximum, of reads the quantile of all. */
export function resultsOf(rounds: readonly Round[], events: number): Result[] {
  const readyS = median(rounds.map(it => it.readyMs)) / 1_000;
  const perSecond = median(rounds.map(it => it.perSecond));
  const [largest] = rounds.flatMap(it => it.peaks).toSorted((a, b) => b.bytes - a.bytes);
  const against = '–';
  return [
    {
      what: `restart with a backlog of ${events} events: ready, s`,
      billing: readyS.toFixed(1),
      against,
      goal: `at most ${MAX_READY_S} s`,
      isReached: readyS <= MAX_READY_S,
    },
    {
      what: 'events/s processed from the restart on',
      billing: perSecond.toFixed(0),
      against,
      goal: `at least ${MIN_PER_SECOND}`,
      isReached: perSecond >= MIN_PER_SECOND,
    },
    {
      what: 'largest process meanwhile, MiB',
      billing: largest ? describePeak(largest) : 'none',
      against,
      goal: `below ${MAX_MEBIBYTES}`,
      isReached: largest !== undefined && mebibytes(largest) < MAX_MEBIBYTES,
    },
    readResult(
      'GET P/subscriptions?limit=50 meanwhile, p99 ms',
      rounds.flatMap(it => it.listLatencies),
    ),
    readResult(
      'GET P/analytics meanwhile, p99 ms',
      rounds.flatMap(it => it.analyticsLatencies),
    ),
  ];
}

function readResult(what: string, latencies: readonly number[]): Result {
  const p99 = quantile(latencies, 0.99);
  return {
    what,
    billing: p99.toFixed(0),
    against: '–',
    goal: `at most ${MAX_READ_MS} ms`,
    isReached: p99 <= MAX_READ_MS,
  };
}

const mebibytes = ({ bytes }: PeakMemory): number => bytes / 1_024 ** 2;
const describePeak = (peak: PeakMemory): string => `${peak.part} ${mebibytes(peak).toFixed(0)}`;
