/** Runs at most `permits` of the callers' works at once; the others wait for their turn, first come first served. */
export function semaphore(permits: number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= permits) await new Promise<void>(resolve => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Whoever leaves passes the permit on to the next.
      if (next) next();
      else running -= 1;
    }
  };
}
