import type { Result } from './part.ts';
import { median } from './statistics.ts';

interface Compared {
  /** What was measured; higher is better. */
  readonly what: string;
  /** A value per round of each side. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** What the other side is. */
  readonly other: string;
  /** The smallest ratio of the medians that reaches the goal. */
  readonly atLeast: number;
}

/** Returns the line that compares the medians of both sides over all rounds. */
export function compareRates({ what, ours, theirs, other, atLeast }: Compared): Result {
  const [billing, against] = [median(ours), median(theirs)];
  const ratio = billing / against;
  return {
    what,
    billing: billing.toFixed(0),
    against: `${against.toFixed(0)} (${other})`,
    ratio,
    goal: `at least ${atLeast} ×`,
    isReached: ratio >= atLeast,
  };
}

/** Returns `name: ours : theirs = ratio` for the line of a round. */
export const describeRates = (name: string, ours: number, theirs: number): string =>
  `${name} ${ours.toFixed(0)} : ${theirs.toFixed(0)} = ${(ours / theirs).toFixed(2)}`;
