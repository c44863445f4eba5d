/** What 99.9 % of samples of two equal distributions stay below. */
const SIGNIFICANT_Z = 3.29;
const UNNOTICEABLE_MS = 2;
/** Another program may have used the processor in one of them. */
const ATTEMPTS = 3;

/**
 * Returns whether two kinds of requests can be told apart by the time they take: their medians differ by 2 ms or more, and
 * a rank-sum test finds the difference significant, in each of three attempts. The requests take turns.
 */
export async function differInTime(
  count: number,
  one: (index: number) => Promise<unknown>,
  other: (index: number) => Promise<unknown>,
): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const times: [number[], number[]] = [[], []];
    for (let index = 0; index < count; index += 1) {
      // Each kind comes first every other time.
      const turns = index % 2 ? ([1, 0] as const) : ([0, 1] as const);
      for (const kind of turns)
        times[kind].push(await measure(() => (kind === 0 ? one : other)(attempt * count + index)));
    }
    const [ofOne, ofOther] = times;
    const difference = Math.abs(median(ofOne) - median(ofOther));
    if (difference < UNNOTICEABLE_MS || Math.abs(rankSumZ(ofOne, ofOther)) < SIGNIFICANT_Z) return false;
  }
  return true;
}

async function measure(send: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await send();
  return performance.now() - startedAt;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The standard score of the Mann–Whitney U statistic: https://en.wikipedia.org/wiki/Mann–Whitney_U_test */
function rankSumZ(ofOne: readonly number[], ofOther: readonly number[]): number {
  const [n, m] = [ofOne.length, ofOther.length];
  const wins = ofOne.reduce((sum, time) => sum + ofOther.filter(another => time > another).length, 0);
  return (wins - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}
