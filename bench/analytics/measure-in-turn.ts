/**
 * Sends requests to both sides in turn, so that anything that slows the machine slows both. Returns the latencies of each
 * side in milliseconds, without the warm-up requests.
 */
export async function measureInTurn(
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  { warmUp, requests }: { warmUp: number; requests: number },
) {
  const requestsOf = [one, other] as const;
  const latencies: [number[], number[]] = [[], []];
  for (let turn = 0; turn < warmUp + requests; turn += 1) {
    // The side that goes first finds the caches as the other one left them, so they swap.
    const sides = turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const side of sides) {
      const startedAt = performance.now();
      await requestsOf[side]();
      if (turn >= warmUp) latencies[side].push(performance.now() - startedAt);
    }
  }
  return latencies;
}
