/** Milliseconds that each request took, in their order. */
export type Latencies = readonly number[];

/** Asks both by turns, so that whatever slows the machine down slows both; the first requests only warm up. */
export async function measureByTurns(
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  { warmUp, requests }: { warmUp: number; requests: number },
) {
  const asks = [one, other] as const;
  const latencies: [number[], number[]] = [[], []];
  for (let turn = 0; turn < warmUp + requests; turn += 1) {
    // Whoever is asked first finds the caches as the other left them.
    const sides = turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const side of sides) {
      const startedAt = performance.now();
      await asks[side]();
      if (turn >= warmUp) latencies[side].push(performance.now() - startedAt);
    }
  }
  return latencies;
}

/** The latency that `share` of the requests did not exceed. */
export function quantile(latencies: Latencies, share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
