interface SemaphoreOptions {
  /** How long a work waits for its turn, in milliseconds; then it runs beside the others. As long as it takes unless given. */
  readonly patienceMs?: number;
}

/** Runs at most `permits` of the callers' works at once; the others wait for their turn, first come first served. */
export function semaphore(permits: number, { patienceMs }: SemaphoreOptions = {}) {
  const waiting = new Set<() => void>();
  let running = 0;

  /** Returns false when the turn did not come in time. */
  const waitForTurn = (): Promise<boolean> =>
    new Promise(resolve => {
      const begin = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer =
        patienceMs === undefined ? undefined : setTimeout(() => resolve(!waiting.delete(begin)), patienceMs);
      waiting.add(begin);
    });

  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < permits) running += 1;
    else if (!(await waitForTurn())) return work();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      // Whoever leaves passes the permit on to the next.
      if (next) {
        waiting.delete(next);
        next();
      } else running -= 1;
    }
  };
}
