import type { Responded } from '../load/request-generator.ts';
import type { Result } from '../part.ts';
import { median, quantile } from '../statistics.ts';
import type { PeakMemory } from './memory-sampler.ts';

/** How the services caught up in one round. */
export interface Round {
  /** From the restart until every service was ready. */
  readonly readyMs: number;
  /** Events per second, from the restart until the last event was processed. */
  readonly perSecond: number;
  /** The responses to reads meanwhile. */
  readonly lists: readonly Responded[];
  readonly analytics: readonly Responded[];
  readonly peaks: readonly PeakMemory[];
}

const MAX_READY_S = 5;
const MIN_PER_SECOND = 2_000;
const MAX_MEBIBYTES = 300;
const MAX_READ_MS = 250;

/** Returns one line about one round. */
export function describeRound({ readyMs, perSecond, lists, analytics, peaks }: Round): string {
  return [
    `ready in ${(readyMs / 1_000).toFixed(1)} s`,
    `${perSecond.toFixed(0)} events/s`,
    `p99 of ${lists.length} lists ${describeReads(lists)} ms, of analytics ${describeReads(analytics)} ms`,
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
      rounds.flatMap(it => it.lists),
    ),
    readResult(
      'GET P/analytics meanwhile, p99 ms',
      rounds.flatMap(it => it.analytics),
    ),
  ];
}

/** A read that fails makes the goal unreached, but not the measurement invalid. */
function readResult(what: string, reads: readonly Responded[]): Result {
  return {
    what,
    billing: describeReads(reads),
    against: '–',
    goal: `at most ${MAX_READ_MS} ms, none fails`,
    isReached: p99Of(reads) <= MAX_READ_MS && failuresOf(reads) === 0,
  };
}

function describeReads(reads: readonly Responded[]): string {
  const failures = failuresOf(reads);
  return `${p99Of(reads).toFixed(0)}${failures > 0 ? ` (${failures} of ${reads.length} failed)` : ''}`;
}

const failuresOf = (reads: readonly Responded[]): number => reads.filter(({ status }) => status !== 200).length;
const p99Of = (reads: readonly Responded[]): number =>
  quantile(
    reads.map(({ ms }) => ms),
    0.99,
  );

const mebibytes = ({ bytes }: PeakMemory): number => bytes / 1_024 ** 2;
const describePeak = (peak: PeakMemory): string => `${peak.part} ${mebibytes(peak).toFixed(0)}`;
