import { median } from '../statistics.ts';

/** What 99.9 % of samples of two equal distributions stay below. */
const SIGNIFICANT_Z = 3.29;
const UNNOTICEABLE_MS = 2;

/** The medians of two kinds of requests in milliseconds, and whether they can be told apart. */
export interface Comparison {
  readonly one: number;
  readonly other: number;
  /** The medians differ by 2 ms or more, and a rank-sum test finds the difference significant. */
  readonly differ: boolean;
}

/** Measures two kinds of requests in turn, so many of each. */
export async function compareTimes(
  count: number,
  one: (index: number) => Promise<unknown>,
  other: (index: number) => Promise<unknown>,
): Promise<Comparison> {
  const times: [number[], number[]] = [[], []];
  for (let index = 0; index < count; index += 1) {
    // Each kind comes first every other time.
    const turns = index % 2 ? ([1, 0] as const) : ([0, 1] as const);
    for (const kind of turns) times[kind].push(await measure(() => (kind === 0 ? one : other)(index)));
  }
  const medians = { one: median(times[0]), other: median(times[1]) };
  const isNoticeable = Math.abs(medians.one - medians.other) >= UNNOTICEABLE_MS;
  return { ...medians, differ: isNoticeable && Math.abs(rankSumZ(...times)) >= SIGNIFICANT_Z };
}

async function measure(send: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await send();
  return performance.now() - startedAt;
}

/** The standard score of the Mann–Whitney U statistic: https://en.wikipedia.org/wiki/Mann–Whitney_U_test */
function rankSumZ(ofOne: readonly number[], ofOther: readonly number[]): number {
  const [n, m] = [ofOne.length, ofOther.length];
  const wins = ofOne.reduce((sum, time) => sum + ofOther.filter(another => time > another).length, 0);
  return (wins - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}
